"""One login for everything: refused unless asked for; then it works, with a warning that the backstop is off."""

from collections.abc import Iterator

import psycopg
import pytest

from ragspine_pg import RagSpine
from ragspine_pg.errors import ConfigurationError, UnsafeRole
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind


@pytest.fixture
def alone(fresh_database: Database) -> Iterator[RagSpine]:
    with RagSpine.open(fresh_database.owner_url, grant_key=fresh_database.grant_key, single_login=True) as spine:
        yield spine


def test_each_caller_sees_its_own_all_the_same(alone: RagSpine) -> None:
    world.build(alone)
    found = {
        access: sorted(hit.document_id for hit in alone.search(world.QUESTION, access=access).hits)
        for access in (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER)
    }
    assert list(found.values()) == [["open", "staff"], ["finance", "open"], ["open"], [], ["theirs"]]


def test_results_warn(alone: RagSpine) -> None:
    world.build(alone)
    assert alone.search(world.QUESTION, access=world.STAFF).warnings == ("backstop_off",)


def test_hidden_documents_change_no_byte(alone: RagSpine) -> None:
    world.build(alone)
    before = alone.search(world.QUESTION, access=world.OUTSIDER, expand="parent").to_json()
    alone.library("acme", "handbook").ingest(world.hidden_documents(20))
    assert alone.search(world.QUESTION, access=world.OUTSIDER, expand="parent").to_json() == before


def test_relabel_and_delete_work(alone: RagSpine) -> None:
    world.build(alone)
    library = alone.library("acme", "handbook")
    assert library.relabel("open", readers={"group:board"})
    assert alone.search(world.QUESTION, access=world.OUTSIDER).hits == ()
    assert library.delete("staff")
    assert alone.search(world.QUESTION, access=world.STAFF).hits == ()


def test_explain_works(alone: RagSpine) -> None:
    world.build(alone)
    told = alone.explain(world.QUESTION, access=world.OUTSIDER, library_id="handbook", document_id="staff")
    assert told.verdict == "not_readable"
    assert alone.ingestor.explain_rights(told, world.OUTSIDER).detail == "none of the principals is among its readers"


@pytest.mark.parametrize("login", ["owner_url", "ingest_url", "superuser_url"])
def test_a_login_that_is_not_bound_is_refused(fresh_spine: RagSpine, fresh_database: Database, login: str) -> None:
    world.build(fresh_spine)
    url = getattr(fresh_database, login)
    with (
        RagSpine.open(url, grant_key=fresh_database.grant_key) as spine,
        pytest.raises((UnsafeRole, ConfigurationError), match=r"row-level security|lacks a right"),
    ):
        spine.search(world.QUESTION, access=world.STAFF)


@pytest.mark.usefixtures("roles_changed")
@not_behind
def test_a_reader_that_also_writes_is_refused(fresh_spine: RagSpine, fresh_database: Database) -> None:
    world.build(fresh_spine)
    with psycopg.connect(fresh_database.superuser_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE twofold LOGIN PASSWORD 'twofold' IN ROLE ragspine_reader, ragspine_ingest")
        connection.execute(f"GRANT CONNECT ON DATABASE {fresh_database.name} TO twofold")
    try:
        url = fresh_database.reader_url.replace("//reader:", "//twofold:")
        head, _, tail = url.partition("@")
        url = f"{head.rpartition(':')[0]}:twofold@{tail}"
        with (
            RagSpine.open(url, grant_key=fresh_database.grant_key) as spine,
            pytest.raises(UnsafeRole, match=r"ragspine_reader alone .*single_login=True"),
        ):
            spine.search(world.QUESTION, access=world.STAFF)
        with psycopg.connect(url) as connection:
            # Even then the restrictive policy holds: the permissive one for ingest alone would show everything.
            connection.execute("SELECT ragspine.assume(%s)", [fresh_spine.grant(world.OUTSIDER)])
            assert connection.execute("SELECT document_id FROM ragspine.document").fetchall() == [("open",)]
    finally:
        with psycopg.connect(fresh_database.superuser_url, autocommit=True) as connection:
            connection.execute("DROP OWNED BY twofold")
            connection.execute("DROP ROLE twofold")


def test_the_setting_gives_a_reader_nothing(fresh_spine: RagSpine, fresh_database: Database) -> None:
    world.build(fresh_spine)
    with psycopg.connect(fresh_database.reader_url) as connection:
        connection.execute("SET LOCAL ragspine.single_login = 'on'")
        connection.execute("SELECT ragspine.assume(%s)", [fresh_spine.grant(world.OUTSIDER)])
        assert connection.execute("SELECT document_id FROM ragspine.search('return order')").fetchall() == [("open",)]
        assert connection.execute("SELECT ragspine.require_backstop_v1()").fetchone() == ([],)
