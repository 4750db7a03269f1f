"""A library whose analyzer is a list: each document is analysed by the member that its language names, everywhere."""

from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.ingest import analyse, measure, pending
from tests.fixtures.database import Database
from tests.fixtures.spine import edited_statement, open_spine
from tests.ingest.edition import audited
from tests.ingest.shelf import Shelf

LIST = "english,italian+fold,cjk"
TEXTS = [
    Document("plain", "The houses of the nation"),
    Document("en", "Running houses of the nation", language="en-GB"),
    Document("it", "Le case della nazione, perché città", language="it"),
    Document("ja", "日本語のテストを行う", language="ja"),
    Document("de", "Die Häuser der Nation", language="de"),
]
LEXEMES = {
    "plain": {"hous", "nation"},
    "en": {"run", "hous", "nation"},
    "it": {"cas", "nazion", "citt"},
    "ja": {"日本", "本語", "語の", "のテ", "テス", "スト", "トを", "を行", "行う"},
    "de": {"die", "häuser", "der", "nation"},
}


@pytest.fixture
def shelf(database: Database) -> Shelf:
    return Shelf(database, chunker="whole", analyzer=LIST)


def lexemes(shelf: Shelf) -> dict[str, set[str]]:
    """The lexemes that are stored of each document in the published version."""
    rows = shelf.owner(
        """
        SELECT d.document_id, x.lexeme
          FROM ragspine.tenant AS t
          JOIN ragspine.library AS l USING (tenant_no)
          JOIN ragspine.index_version AS v USING (tenant_no, library_no)
          JOIN ragspine.chunk_lexical AS c USING (tenant_no, version_no)
          JOIN ragspine.document AS d USING (tenant_no, document_no)
         CROSS JOIN LATERAL ragspine.list_lexemes_v1(c.impacts) AS n
          JOIN ragspine.lexeme AS x
            ON x.tenant_no = v.tenant_no AND x.version_no = v.version_no AND x.lexeme_no = n.lexeme_no
         WHERE t.tenant = %(tenant)s AND l.library_id = %(library)s AND v.state = 'published'
        """
    )
    found: dict[str, set[str]] = {}
    for document_id, lexeme in rows:
        found.setdefault(document_id, set()).add(lexeme)
    return found


def assert_sound(shelf: Shelf) -> None:
    assert shelf.audit() == []
    assert shelf.stored_statistics() == shelf.recounted_statistics()


def assert_analysed_by_language(shelf: Shelf) -> None:
    """The core: what is stored of each document is what the member of its language makes of it."""
    shelf.ingest(*TEXTS)
    assert lexemes(shelf) == LEXEMES
    assert_sound(shelf)


def test_a_document_is_analysed_by_the_member_of_its_language(shelf: Shelf) -> None:
    assert_analysed_by_language(shelf)


def test_analysed_by_language_has_teeth(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = edited_statement(
        analyse._ANALYSE, "ragspine.document_analyzer_v1(%(analyzer)s, s.language)", "%(analyzer)s"
    )
    monkeypatch.setattr(analyse, "_ANALYSE", faulty)
    with pytest.raises(AssertionError):
        assert_analysed_by_language(shelf)
    assert "impacts equal a new analysis" in {finding.rule for finding in shelf.audit()}


def test_a_query_is_analysed_by_all_members(spine: RagSpine) -> None:
    library = spine.create_library("languages", "mixed", chunker="whole", analyzer=LIST)
    library.ingest(TEXTS)
    access = Access("languages", {"user:ann"})
    for query, expected in [
        ("house", {"plain", "en"}),
        ("casa", {"it"}),
        ("citta", {"it"}),
        ("città", {"it"}),
        ("テスト", {"ja"}),
        ("Häuser", {"de"}),
        ("nazioni", {"it"}),
        ("della", set()),
        ("runs テスト", {"en", "ja"}),
    ]:
        result = spine.search(query, access=access, libraries="mixed")
        assert {hit.document_id for hit in result.hits} == expected, query


def assert_anew_with_another_language(shelf: Shelf) -> None:
    """The core: a document that comes again with another language is analysed anew, and only where that matters."""
    shelf.ingest(*TEXTS)
    again = Document("plain", TEXTS[0].text, language="italian")
    assert shelf.ingest(again).changed == 1
    assert lexemes(shelf)["plain"] == {"the", "houses", "of", "nation"}
    assert shelf.ingest(again).unchanged == 1
    same_member = Document("plain", TEXTS[0].text, language="it_IT")
    report = shelf.ingest(same_member)
    assert (report.changed, report.updated, report.chunks) == (0, 1, 0)
    assert shelf.ingest(TEXTS[0]).changed == 1
    assert lexemes(shelf) == LEXEMES
    assert_sound(shelf)


def test_another_language_is_analysed_anew(shelf: Shelf) -> None:
    assert_anew_with_another_language(shelf)


def test_anew_with_another_language_has_teeth(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    blind = edited_statement(analyse._MARK, "d.language IS NOT DISTINCT FROM s.language", "true")
    monkeypatch.setattr(analyse, "_MARK", blind)
    with pytest.raises(AssertionError):
        assert_anew_with_another_language(shelf)


def test_without_a_list_a_language_is_an_attribute(database: Database) -> None:
    shelf = Shelf(database, chunker="whole", analyzer="english")
    shelf.ingest(*TEXTS)
    report = shelf.ingest(*(Document(text.id, text.text, language="fr") for text in TEXTS))
    assert (report.changed, report.updated, report.chunks) == (0, len(TEXTS), 0)
    assert_sound(shelf)


def assert_reweighed_by_language(database: Database) -> None:
    """The core: where the pivot moves, impacts are written again under the document's member."""
    shelf = Shelf(database, chunker="whole", analyzer=LIST, profile={"pivot": "measured"})
    shelf.ingest(*TEXTS)
    shelf.ingest(Document("long", "words " * 90, language="en"))
    assert_sound(shelf)
    assert {key: value for key, value in lexemes(shelf).items() if key != "long"} == LEXEMES


def test_a_measured_pivot_keeps_to_the_languages(database: Database) -> None:
    assert_reweighed_by_language(database)


def test_reweighed_by_language_has_teeth(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = edited_statement(
        measure._REWEIGH, "ragspine.document_analyzer_v1(%(analyzer)s, s.language)", "%(analyzer)s"
    )
    monkeypatch.setattr(measure, "_REWEIGH", faulty)
    with pytest.raises(AssertionError):
        assert_reweighed_by_language(database)


@pytest.fixture
def library(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    """An English library with documents of several languages."""
    made = spine.create_library(request.node.name, "books", chunker="whole", analyzer="english")
    made.ingest(TEXTS)
    return made


def found(library: Library, query: str) -> set[str]:
    result = library.search(query, access=Access(library.tenant, {"user:ann"}))
    return {hit.document_id for hit in result.hits}


def test_a_rebuild_takes_a_list_up_and_gives_it_up(database: Database, library: Library) -> None:
    assert found(library, "casa") == set()
    library.publish(library.rebuild(analyzer="cjk, english+code,italian").version)
    assert library.versions()[0].analyzer == "cjk,english+code,italian"
    assert audited(database, library) == []
    assert (found(library, "casa"), found(library, "日本語")) == ({"it"}, {"ja"})
    library.ingest([Document("it", TEXTS[2].text, language="en")])
    assert found(library, "casa") == set()
    assert audited(database, library) == []
    library.rollback()
    assert audited(database, library) == []


def assert_another_language_reaches_other_versions(database: Database, library: Library) -> None:
    """The core: a version that is not published, and whose list tells languages apart, takes the new language on."""
    version = library.rebuild(analyzer=LIST).version
    library.ingest([Document("it", TEXTS[2].text, language="en"), Document("plain", TEXTS[0].text, language="it")])
    library.publish(version)
    assert audited(database, library) == []
    assert (found(library, "casa"), found(library, "the")) == (set(), {"plain"})


def test_another_language_reaches_versions_that_are_not_published(database: Database, library: Library) -> None:
    assert_another_language_reaches_other_versions(database, library)


def test_other_versions_has_teeth(database: Database, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    states = "v.state IN ('building', 'verified', 'published', 'retired')"
    monkeypatch.setattr(analyse, "_MARK", edited_statement(analyse._MARK, states, "v.state = 'published'"))
    with pytest.raises(AssertionError):
        assert_another_language_reaches_other_versions(database, library)


def assert_language_meanwhile(database: Database, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core: a document whose language changes between its reading and the locks is read again."""
    changed: list[bool] = []
    locking = pending.lock_documents

    def overtaken(*arguments: Any) -> Any:
        if not changed:
            changed.append(True)
            with open_spine(database) as other:
                other.library(library.tenant, "books").ingest([Document("it", TEXTS[2].text, language="en")])
        return (yield from locking(*arguments))

    monkeypatch.setattr(pending, "lock_documents", overtaken)
    library.publish(library.rebuild(analyzer=LIST).version)
    assert changed
    assert audited(database, library) == []
    assert found(library, "casa") == set()


def test_a_language_that_changes_meanwhile_is_read_again(
    database: Database, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_language_meanwhile(database, library, monkeypatch)


def test_language_meanwhile_has_teeth(database: Database, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    blind = edited_statement(pending._PLAN, "d.language IS NOT DISTINCT FROM s.language", "true")
    monkeypatch.setattr(pending, "_PLAN", blind)
    with pytest.raises(Exception, match=r"does not hold the rule|assert"):
        assert_language_meanwhile(database, library, monkeypatch)


def test_a_language_that_changes_before_the_locks_of_an_ingest_is_analysed_anew(
    database: Database, library: Library
) -> None:
    library.publish(library.rebuild(analyzer=LIST).version)

    def tell(progress: Progress) -> None:
        if progress.stage == "lock":
            with open_spine(database) as other:
                other.library(library.tenant, "books").ingest([Document("it", TEXTS[2].text, language="ja")])

    report = library.ingest([TEXTS[2]], progress=tell)
    assert (report.changed, report.unchanged) == (1, 0)
    assert audited(database, library) == []
    assert found(library, "casa") == {"it"}


@pytest.mark.parametrize("analyzer", ["english,english+fold", "english,", "english+stem", "english,klingon", "fold"])
def test_a_library_of_an_unknown_analyzer_is_refused_by_name(spine: RagSpine, library: Library, analyzer: str) -> None:
    for make in (
        lambda: spine.create_library(library.tenant, "other", analyzer=analyzer),
        lambda: library.rebuild(analyzer=analyzer),
    ):
        with pytest.raises(ConfigurationError, match="analyzer") as caught:
            make()
        assert caught.value.ids["argument"] == "analyzer"


def test_exist_ok_takes_any_spelling(spine: RagSpine) -> None:
    first = spine.create_library("spelling", "books", analyzer="english+fold+code, cjk")
    again = spine.create_library("spelling", "books", analyzer="english+code+fold,cjk", exist_ok=True)
    assert first.versions()[0].analyzer == again.versions()[0].analyzer == "english+code+fold,cjk"
