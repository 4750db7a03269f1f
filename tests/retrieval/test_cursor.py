"""Pages: nothing twice, nothing lost, in the same versions, also while documents arrive."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.result import Hit
from ragspine_pg.errors import QueryError
from tests.fixtures.database import Database

ME = Access("pages", {"user:me"})


def fill(spine: RagSpine, request: pytest.FixtureRequest, count: int = 47) -> Library:
    library = spine.create_library("pages", request.node.name, embedding="hashing")
    library.ingest(
        Document(f"d{n}", "fox " * (n % 5) + f"and owl number {n} in the night " + "moon " * (n % 7))
        for n in range(count)
    )
    return library


def pages(library: Library, mode: str, k: int, between: object = None) -> list[Hit]:
    found: list[Hit] = []
    cursor = None
    while True:
        result = library.search("fox moon night", access=ME, mode=mode, k=k, after=cursor)
        assert [hit.rank for hit in result.hits] == list(range(len(found) + 1, len(found) + len(result.hits) + 1))
        found += result.hits
        cursor = result.cursor
        if cursor is None:
            assert result.reason == "fewer_matches"
            return found
        if callable(between):
            between(len(found))


@pytest.mark.parametrize("mode", ["economy", "vector", "hybrid"])
@pytest.mark.parametrize("k", [1, 10, 47])
def test_pages_are_the_whole_in_pieces(spine: RagSpine, request: pytest.FixtureRequest, mode: str, k: int) -> None:
    library = fill(spine, request)
    whole = library.search("fox moon night", access=ME, mode=mode, k=1000).hits
    found = pages(library, mode, k)
    assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in whole]
    assert [hit.score for hit in found] == [hit.score for hit in whole]


@pytest.mark.parametrize("mode", ["economy", "vector", "hybrid"])
def test_nothing_comes_twice_or_is_lost_while_documents_arrive(
    spine: RagSpine, request: pytest.FixtureRequest, mode: str
) -> None:
    library = fill(spine, request)

    def arrive(shown: int) -> None:
        library.ingest([Document(f"new{shown}-{n}", "fox moon night " * 3) for n in range(4)] if shown < 40 else [])

    found = [hit.document_id for hit in pages(library, mode, 10, arrive)]
    assert len(found) == len(set(found))
    assert {f"d{n}" for n in range(47)} <= set(found)


def test_what_is_taken_away_meanwhile_is_not_shown(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    library = fill(spine, request)
    first = library.search("fox moon night", access=ME, mode="hybrid", k=10)
    rest = library.search("fox moon night", access=ME, mode="hybrid", k=37, after=first.cursor).hits
    library.delete(rest[0].document_id)
    library.relabel(rest[1].document_id, sensitivity="RESTRICTED")
    library.relabel(rest[2].document_id, readers={"user:other"})
    second = library.search("fox moon night", access=ME, mode="hybrid", k=37, after=first.cursor).hits
    assert {hit.document_id for hit in second} == {hit.document_id for hit in rest[3:]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": "another"}, "another search"),
        ({"mode": "economy"}, "another search"),
        ({"min_score": {"lexical": 1}}, "another search"),
        ({"weights": {"vector": 2}}, "another search"),
        ({"after": "x"}, "not a cursor"),
        ({"after": ""}, "not a cursor"),
        ({"after": "e30"}, "not a cursor"),
        *(
            ({"after": urlsafe_b64encode(text.encode()).decode().rstrip("=")}, "not a cursor")
            for text in (
                '{"request": "x", "versions": {"a": 1E1000000}, "shown": {}}',
                '{"request": "x", "versions": {"a": 1.5}, "shown": {}}',
                '{"request": "x", "versions": {"a": Infinity}, "shown": {}}',
                '{"request": "x", "versions": {"a": 99999999999}, "shown": {}}',
                '{"request": "x", "versions": {}, "shown": {"a": {"b": 1}}}',
                '{"request": "x", "versions": {}, "shown": {"a": ["\\u0000"]}}',
                '{"request": "x", "versions": {}, "shown": {"a": ["\\ud800"]}}',
                '{"request": "x", "versions": {}, "shown": ' + '{"a": ' * 20_000 + "1" + "}" * 20_001,
            )
        ),
        ({"after": "A" * 1_000_001}, "not a cursor"),
        ({"k": 991}, "paged to 1000"),
    ],
)
def test_a_cursor_of_something_else_is_refused(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest, change: dict[str, object], message: str
) -> None:
    library = fill(spine, request, 20)
    cursor = library.search("fox moon night", access=ME, mode="hybrid").cursor
    asked = {"query": "fox moon night", "mode": "hybrid", "after": cursor, **change}
    with pytest.raises(QueryError, match=message):
        library.search(access=ME, **asked)  # type: ignore[arg-type]
    if message == "not a cursor":
        with psycopg.connect(database.reader_url) as connection:
            connection.execute("SELECT ragspine.assume(%s)", [spine.grant(ME)])
            with pytest.raises(psycopg.Error, match=message) as refused:
                connection.execute("SELECT * FROM ragspine.search('fox', after => %s)", [change["after"]])
            assert refused.value.sqlstate == "RS006"


def test_a_forged_cursor_shows_nothing_that_is_not_readable(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    library = fill(spine, request, 20)
    library.ingest([Document("hidden", "fox moon night", readers=set())])
    result = library.search("fox moon night", access=ME, mode="hybrid", k=5)
    assert result.cursor is not None
    text = urlsafe_b64decode(result.cursor + "=" * (-len(result.cursor) % 4)).decode()
    shown = result.hits[0].chunk_id
    forged = urlsafe_b64encode(text.replace(shown, "0" * 32).encode()).decode().rstrip("=")
    again = library.search("fox moon night", access=ME, mode="hybrid", k=100, after=forged)
    assert shown in {hit.chunk_id for hit in again.hits}
    assert "hidden" not in {hit.document_id for hit in again.hits}
    stranger = Access("strangers", {"user:me"})
    other = spine.search("fox moon night", access=stranger, mode="hybrid", after=result.cursor)
    assert (other.hits, other.reason) == ((), "fewer_matches")
