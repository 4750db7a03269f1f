"""With statistics of the library scores tell of texts a caller may not read; rows and texts, and RESTRICTED, do not."""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import bm25s
import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import RagSpineError
from ragspine_pg.ingest import publish, verify
from ragspine_pg.testing import InMemoryLexicalIndex
from tests.access import world
from tests.fixtures.database import Database, clone
from tests.fixtures.spine import Plant, open_spine

WORDS = ["return", "order", "refund", "invoice", "parcel", "colour", "heron"]
READERS = [None, {"user:eve"}, {"user:ann"}, {"user:ann", "user:eve"}, set(), {"user:zoe"}]
CALLERS = [{"user:eve"}, {"user:ann"}, {"user:ann", "user:eve"}, {"user:nobody"}]


def shelf(seed: int) -> list[Document]:
    draw = Random(seed)
    return [
        Document(
            f"d{n}",
            " ".join(draw.choices(WORDS, range(1, 8), k=draw.randint(1, 20))),
            readers=draw.choice(READERS),
            sensitivity=draw.choice(["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"]),
        )
        for n in range(90)
    ]


def readable(documents: list[Document], principals: set[str]) -> set[str]:
    return {
        one.id
        for one in documents
        if one.sensitivity != "RESTRICTED" and (one.readers is None or set(one.readers) & principals)
    }


def bag(text: str) -> dict[str, int]:
    words = text.split()
    return {word: words.count(word) for word in words}


def assert_scored_by_the_library(spine: RagSpine, tenant: str) -> None:
    """The core: all get the scores of an index of all that is not RESTRICTED, for what they may read."""
    documents = shelf(5)
    made = spine.create_library(
        tenant, "notes", analyzer="simple", chunker="whole", statistics="library", profile={"pivot": "measured"}
    )
    made.ingest(documents[:60])
    made.ingest(documents[30:])
    counted = {one.id: one.text for one in documents if one.sensitivity != "RESTRICTED"}
    index = InMemoryLexicalIndex({id: bag(text) for id, text in counted.items()})
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index([text.split() for text in counted.values()], show_progress=False)
    for principals in CALLERS:
        may = readable(documents, principals)
        assert 0 < len(may) < len(counted)
        for query in ("refund", "heron order", "return parcel colour return"):
            found = spine.search(query, access=Access(tenant, principals), k=90)
            scores = dict(index.search(bag(query), 90, among=may))
            assert {hit.document_id: hit.score for hit in found.hits} == pytest.approx(scores, rel=1e-9)
            scored = dict(zip(counted, peer.get_scores(query.split()).tolist(), strict=True))
            assert scores == pytest.approx({id: scored[id] for id in scores}, rel=1e-5)


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ingest that does not recount: it would refuse what the tests below plant."""
    monkeypatch.setattr(verify, "_STATISTICS", replace(verify._STATISTICS, text="SELECT 0"))


def test_every_caller_gets_the_scores_of_the_whole_library(spine: RagSpine) -> None:
    assert_scored_by_the_library(spine, "scores")


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("weigh_terms_v1", "THEN ARRAY[0]", "THEN classes"),
        ("counted_class_v1", "'RESTRICTED'", "'PUBLIC'"),
        ("counted_class_v1", "'RESTRICTED'", "'TOP SECRET'"),
    ],
    ids=["words counted by class", "PUBLIC not counted", "RESTRICTED counted"],
)
def test_scores_of_the_whole_library_have_teeth(
    fresh_spine: RagSpine, plant: Plant, unverified: None, function: str, old: str, new: str
) -> None:
    plant(function, (old, new))
    with pytest.raises(AssertionError):
        assert_scored_by_the_library(fresh_spine, "scores")


@pytest.fixture(scope="module", params=["without vectors", "hybrid"])
def worlds(request: pytest.FixtureRequest, server: EmbeddedServer, template: str) -> Iterator[list[world.World]]:
    """The same world with statistics by class and of the library."""
    mode = world.MODES[request.param]
    with (
        world.opened(server, template, mode) as by_class,
        clone(server, template) as database,
        open_spine(database) as spine,
    ):
        world.build(spine, embedded=mode.embedded, statistics="library")
        yield [by_class, world.World(spine, database, mode)]


def test_rows_and_texts_are_those_of_statistics_by_class(worlds: list[world.World]) -> None:
    for access in (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER):
        seen = []
        for one in worlds:
            answers = {name: ask(access) for name, ask in one.doors.items()}
            if access in (world.OUTSIDER, world.NOBODY):
                assert not [name for name, answer in answers.items() if world.CANARY in answer]
            hits = json.loads(answers["search, expanded"])["hits"]
            seen.append(sorted((hit["document_id"], hit["text"]) for hit in hits))
        assert seen[0] == seen[1]
        assert (access is world.NOBODY) == (not seen[0])


def test_without_anything_to_read_a_word_cannot_be_asked_for(worlds: list[world.World]) -> None:
    for access in (world.NOBODY, Access("nowhere", {"user:eve"})):
        answers = [[one.doors[name](access) for name in ("SQL terms", "SQL legs", "search")] for one in worlds]
        assert answers[0] == answers[1]


def locked(number: int) -> list[Document]:
    return [
        Document(f"locked-{n}", f"{world.QUESTION} {world.CANARY}", title=world.QUESTION, sensitivity="RESTRICTED")
        for n in range(number)
    ]


def assert_untouched_by_restricted_documents(spine: RagSpine, database: Database) -> None:
    """The core: RESTRICTED documents arrive, and others become RESTRICTED; only what others may read counts."""
    world.build(spine, statistics="library")
    doors = world.doors(spine, database)
    library = spine.library("acme", "handbook")

    def answers() -> dict[str, str]:
        return {
            f"{name} {access}": ask(access) for name, ask in doors.items() for access in (world.OUTSIDER, world.STAFF)
        }

    before = answers()
    library.ingest(locked(30))
    assert library.stats().documents == len(world.HANDBOOK) + 30
    assert answers() == before
    hidden = world.hidden_documents(10)
    library.ingest(hidden)
    assert answers() != before, "what anybody may read moves everybody's scores"
    for document in hidden[:5]:
        library.relabel(document.id, sensitivity="RESTRICTED")
    library.ingest([Document(one.id, one.text, title=one.title, sensitivity="RESTRICTED") for one in hidden[5:]])
    library.optimize()
    assert answers() == before


def test_restricted_documents_change_no_byte(fresh_spine: RagSpine, fresh_database: Database) -> None:
    assert_untouched_by_restricted_documents(fresh_spine, fresh_database)


def test_restricted_documents_have_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, unverified: None
) -> None:
    plant("counted_class_v1", ("'RESTRICTED'", "'TOP SECRET'"))
    with pytest.raises(AssertionError):
        assert_untouched_by_restricted_documents(fresh_spine, fresh_database)


def test_a_word_costs_one_row_whatever_the_classes(spine: RagSpine, database: Database) -> None:
    made = spine.create_library("rows", "notes", chunker="whole", statistics="library")
    made.ingest([Document(f"d{n}", "heron", readers={f"user:{n}"}) for n in range(50)])

    def rows() -> list[tuple[int, int]]:
        with psycopg.connect(database.owner_url) as connection:
            return connection.execute(
                "SELECT s.acl_class_no, s.chunk_count FROM ragspine.lexeme_stat AS s"
                " JOIN ragspine.tenant AS t USING (tenant_no) WHERE t.tenant = 'rows' ORDER BY s.batch_no"
            ).fetchall()

    assert rows() == [(0, 50)]
    made.relabel("d1", readers={"user:2"})
    assert rows() == [(0, 50)]
    made.relabel("d1", sensitivity="RESTRICTED")
    made.relabel("d1", sensitivity="PUBLIC")
    assert rows() == [(0, 50), (0, -1), (0, 1)]


def assert_silent_once_by_class(spine: RagSpine, database: Database, tenant: str) -> None:
    """The core: a library goes back to statistics by class, and nothing tells of what is hidden from then on."""
    made = spine.create_library(tenant, "notes", chunker="whole", statistics="library")
    made.ingest([Document(name, "heron parcel") for name in ("a", "b", "later hidden")])
    access = Access(tenant, {"user:eve"})
    first = spine.search("heron", access=access, k=1)
    assert first.cursor is not None

    def terms(version: int) -> list[tuple[object, ...]]:
        with psycopg.connect(database.owner_url) as owner, psycopg.connect(database.reader_url) as reader:
            (number,) = owner.execute(
                "SELECT v.version_no FROM ragspine.index_version AS v JOIN ragspine.tenant AS t USING (tenant_no)"
                " WHERE t.tenant = %s AND v.version = %s",
                [tenant, version],
            ).fetchone() or (0,)
            reader.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
            return reader.execute("SELECT * FROM ragspine.query_terms_v1(%s, 'heron')", [number]).fetchall()

    assert terms(1)
    made.publish(made.rebuild(analyzer="simple").version)
    assert terms(1) == terms(2), "one version with statistics of the library is kept behind another"
    made.publish(made.rebuild(statistics="class").version)
    made.relabel("later hidden", readers={"group:board"})
    assert terms(1) == terms(2) == []
    assert [info.state for info in made.versions()] == ["published"]
    assert terms(3)
    with pytest.raises(RagSpineError, match="no longer kept"):
        spine.search("heron", access=access, k=1, after=first.cursor)
    made.publish(made.rebuild(statistics="library").version)
    assert terms(3), "one by class tells nothing behind one of the library"
    assert made.rollback().version == 3
    assert terms(4) == []


def test_going_back_to_statistics_by_class_leaves_nothing_that_tells(spine: RagSpine, database: Database) -> None:
    assert_silent_once_by_class(spine, database, "back")


def test_going_back_to_statistics_by_class_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = publish._DROP_SURPLUS.text
    assert "o.whole AND" in text
    kept = replace(publish._DROP_SURPLUS, text=text.replace("o.whole AND", "false AND"))
    monkeypatch.setattr(publish, "_DROP_SURPLUS", kept)
    with pytest.raises(AssertionError):
        assert_silent_once_by_class(fresh_spine, fresh_database, "back")
