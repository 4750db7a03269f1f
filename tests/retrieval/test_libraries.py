"""``ragspine.libraries()``: what a caller that knows only SQL has to know to search by vectors."""

from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, EmbeddingSpace, RagSpine
from ragspine_pg.contract.embedded import vector_text
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel

QUERY = "SELECT library_id, description, version, analyzer, fields, space, embedding_space FROM ragspine.libraries()"


def listed(spine: RagSpine, database: Database, access: Access | None) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The rows for ``access``, and the notices."""
    notices: list[str] = []
    with psycopg.connect(database.reader_url) as connection:
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        if access is not None:
            connection.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
        return connection.execute(QUERY).fetchall(), notices


@pytest.fixture
def tenant(spine: RagSpine, request: pytest.FixtureRequest) -> str:
    """A tenant with a library of words, one with vectors, one for others, and an empty one."""
    tenant: str = request.node.name
    plain = spine.create_library(tenant, "plain", description="Words alone.", fields={"year": "number"})
    plain.ingest([Document("a", "words")])
    spine.create_library(tenant, "near", embedding=WrittenModel(), analyzer="italian").ingest(
        [Document("one", "[1, 0]"), Document("two", "[0, 1]")]
    )
    spine.create_library(tenant, "others").ingest([Document("b", "words", readers={"group:others"})])
    spine.create_library(tenant, "empty")
    return tenant


def test_libraries_are_those_that_hold_something_readable(spine: RagSpine, database: Database, tenant: str) -> None:
    space = WrittenModel().space
    near: tuple[Any, ...] = ("near", "", 1, "italian", {}, space.fingerprint, space.to_json())
    plain: tuple[Any, ...] = ("plain", "Words alone.", 1, "english", {"year": "number"}, None, None)
    others: tuple[Any, ...] = ("others", "", 1, "english", {}, None, None)
    assert listed(spine, database, Access(tenant, {"user:me"})) == ([near, plain], [])
    assert listed(spine, database, Access(tenant, {"group:others"})) == ([near, others, plain], [])
    assert listed(spine, database, Access(tenant)) == ([], [])
    assert listed(spine, database, Access("nobody", {"user:me"})) == ([], [])


def test_without_a_grant_there_are_no_libraries_and_a_notice_says_why(spine: RagSpine, database: Database) -> None:
    rows, notices = listed(spine, database, None)
    assert rows == []
    assert notices == ["no rows: the grant is missing; call ragspine.assume in this transaction first"]


def test_a_search_by_vector_needs_nothing_but_sql(spine: RagSpine, database: Database, tenant: str) -> None:
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [spine.grant(Access(tenant, {"user:me"}))])
        found = connection.execute(
            "SELECT space, embedding_space FROM ragspine.libraries() WHERE library_id = 'near'"
        ).fetchone()
        assert found is not None
        assert EmbeddingSpace.from_json(found[1]).fingerprint == found[0]
        rows = connection.execute(
            "SELECT document_id, score FROM ragspine.search_vector(%s, %s, libraries => ARRAY['near'], k => 1)",
            [vector_text([0.0, 2.0]), found[0]],
        ).fetchall()
    assert rows == [("two", 1.0)]
