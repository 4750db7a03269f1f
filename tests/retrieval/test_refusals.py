"""What cannot be searched for is said so, in Python and in SQL alike, in the same words."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from ragspine_pg import Access, Deadline, Document, Fusion, RagSpine, RetrievalContext
from ragspine_pg.contract.explanation import Explanation
from ragspine_pg.contract.search_request import MAX_QUERY_BYTES, SearchRequest
from ragspine_pg.errors import ConfigurationError, QueryError
from ragspine_pg.flow.translate import translate
from tests.fixtures.database import Database

ME = Access("refusals", {"user:ann"})
LONGEST = "return " + "é" * ((MAX_QUERY_BYTES - 7) // 2) + "x" * ((MAX_QUERY_BYTES - 7) % 2)

DOORS = {
    "search": "SELECT * FROM ragspine.search(%(query)s, {named})",
    "search_json": "SELECT ragspine.search_json(%(query)s, {named})",
    "search_lexical": "SELECT * FROM ragspine.search_lexical(%(query)s, {named})",
}


@pytest.fixture
def filled(spine: RagSpine) -> RagSpine:
    spine.create_library("refusals", "notes", exist_ok=True).ingest([Document("note", "return")])
    return spine


def asked_in_sql(database: Database, spine: RagSpine, door: str, query: object, **options: Any) -> list[Any]:
    named = ", ".join(f"{name} => %({name})s" for name in options) or "k => 10"
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [spine.grant(ME)])
        text = DOORS[door].format(named=named)
        return connection.execute(text, {"query": query, **options}).fetchall()  # type: ignore[arg-type]


REFUSED: list[tuple[str, dict[str, Any]]] = [
    (LONGEST + "x", {}),
    ("return", {"k": 0}),
    ("return", {"k": 1001}),
    ("return", {"min_score": float("nan")}),
    ("return", {"min_score": float("-inf")}),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("query", "options"), REFUSED, ids=["query", "k 0", "k 1001", "nan", "-inf"])
def test_an_argument_is_refused_in_the_words_of_python(
    filled: RagSpine, database: Database, door: str, query: str, options: dict[str, Any]
) -> None:
    with pytest.raises(QueryError) as expected:
        filled.search(query, access=ME, **options)
    with pytest.raises(psycopg.Error) as caught:
        asked_in_sql(database, filled, door, query, **options)
    assert caught.value.sqlstate == "RS006"
    assert str(translate(caught.value)) == str(expected.value)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("query", "options"), [(None, {}), ("return", {"expand": "child"}), ("return", {"k": None})])
def test_what_python_cannot_say_is_refused_too(
    filled: RagSpine, database: Database, door: str, query: str | None, options: dict[str, Any]
) -> None:
    with pytest.raises(psycopg.Error) as caught:
        asked_in_sql(database, filled, door, query, **options)
    assert caught.value.sqlstate == "RS006"


@pytest.mark.parametrize("door", DOORS)
def test_the_longest_query_is_searched(filled: RagSpine, database: Database, door: str) -> None:
    assert len(LONGEST.encode()) == MAX_QUERY_BYTES
    assert filled.search(LONGEST, access=ME).hits
    assert asked_in_sql(database, filled, door, LONGEST)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"document_id": "\0"}, "document_id"),
        ({"document_id": "a\ud800"}, "document_id"),
        ({"document_id": None}, "document_id"),
        ({"library_id": "\0"}, "libraries"),
        ({"library_id": None}, "libraries"),
        ({"min_score": True}, "min_score"),
        ({"k": "3"}, "k is"),
    ],
)
def test_explain_names_the_argument(filled: RagSpine, options: dict[str, Any], names: str) -> None:
    asked: dict[str, Any] = {"library_id": "notes", "document_id": "note"} | options
    with pytest.raises(QueryError, match=names):
        filled.explain("return", access=ME, **asked)


def test_what_is_no_access_is_refused_at_every_door(filled: RagSpine) -> None:
    nobody: Any = ("refusals", {"user:ann"})
    library = filled.library("refusals", "notes")
    explained = library.explain("return", access=ME, document_id="note")
    for ask in (
        lambda: filled.search("return", access=nobody),
        lambda: library.search("return", access=nobody),
        lambda: library.explain("return", access=nobody, document_id="note"),
        lambda: filled.retriever(access=nobody).retrieve("return"),
        lambda: filled.grant(nobody),
        lambda: filled.ingestor.explain_rights(explained, nobody),
    ):
        with pytest.raises(ConfigurationError, match="Access"):
            ask()


@pytest.mark.parametrize("unsendable", ["a\0b", "a\ud800"])
def test_what_cannot_be_sent_is_refused_by_name(filled: RagSpine, unsendable: str) -> None:
    with pytest.raises(ConfigurationError, match="grant"):
        filled.revoke(unsendable)
    for explained in (
        Explanation(unsendable, "notes", "not_readable", ""),
        Explanation("note", unsendable, "not_readable", ""),
    ):
        with pytest.raises(QueryError, match="_id"):
            filled.ingestor.explain_rights(explained, ME)


@pytest.mark.parametrize("seconds", [3e6, 1e300, 10**300])
def test_a_far_deadline_is_no_error(filled: RagSpine, seconds: float) -> None:
    assert filled.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(seconds))).hits


def test_the_bound_on_queries_is_one_for_both() -> None:
    request = SearchRequest("x" * MAX_QUERY_BYTES)
    with pytest.raises(QueryError, match=f"{MAX_QUERY_BYTES} bytes"):
        SearchRequest(request.query + "x")


@pytest.mark.parametrize("fusion", [{"method": "best"}, {"weigths": {}}, {"weights": None}, {"weights": 2}, 5, ["rrf"]])
def test_a_fusion_as_json_is_refused_by_both(filled: RagSpine, database: Database, fusion: Any) -> None:
    with pytest.raises(QueryError, match=r"fusion|weights"):
        filled.search("return", access=ME, fusion=fusion)
    with pytest.raises(psycopg.Error) as caught:
        asked_in_sql(database, filled, "search", "return", fusion=Jsonb(fusion))
    assert caught.value.sqlstate == "RS006"


def test_a_fusion_may_be_written_as_its_json(filled: RagSpine) -> None:
    said: dict[str, Any] = {"method": "convex", "weights": {"lexical": 2, "vector": 1}}
    assert Fusion.of(said) == Fusion(**said)
    assert filled.search("return", access=ME, fusion=said).hits
    with pytest.raises(QueryError, match=r"takes 'rrf', 'convex', Fusion\(...\) or a mapping of method, weights"):
        filled.search("return", access=ME, fusion="best")
