"""The databases the suite runs on are what they claim to be."""

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from tests.fixtures.database import Database, clone, migrated_template


def _scalar(url: str, query: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
        assert row is not None
        return row[0]


def test_clone_is_migrated_and_its_owner_is_no_superuser(fresh_database: Database) -> None:
    query = """
        SELECT (pg_catalog.to_regclass('ragspine.chunk') IS NOT NULL) AND NOT rolsuper AND NOT rolcreaterole
               AND NOT rolbypassrls
          FROM pg_catalog.pg_roles WHERE rolname = current_user
    """
    assert _scalar(fresh_database.owner_url, query) is True


@pytest.mark.parametrize("login", ["ingest", "reader"])
def test_each_login_holds_one_group_and_nothing_more(database: Database, login: str) -> None:
    url: str = getattr(database, f"{login}_url")
    query = """
        SELECT pg_catalog.array_agg(roleid::regrole::text) FROM pg_catalog.pg_auth_members
         WHERE member = current_user::regrole
    """
    assert _scalar(url, query) == [f"ragspine_{login}"]
    assert _scalar(url, "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user") is False


@pytest.mark.parametrize(("login", "allowed"), [("owner", True), ("ingest", True), ("reader", False)])
def test_only_owner_and_ingest_may_make_temporary_tables(database: Database, login: str, allowed: bool) -> None:
    with psycopg.connect(getattr(database, f"{login}_url")) as connection:
        if allowed:
            connection.execute("CREATE TEMPORARY TABLE t ()")
        else:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("CREATE TEMPORARY TABLE t ()")
        connection.rollback()


def test_clones_are_apart(fresh_database: Database, database: Database) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("INSERT INTO ragspine.tenant (tenant) VALUES ('apart')")
    assert _scalar(fresh_database.owner_url, "SELECT count(*) FROM ragspine.tenant WHERE tenant = 'apart'") == 1
    assert _scalar(database.owner_url, "SELECT count(*) FROM ragspine.tenant WHERE tenant = 'apart'") == 0


def test_grant_key_of_a_clone_is_the_one_stored_in_it(fresh_database: Database) -> None:
    key_id = fresh_database.grant_key.split(":")[0]
    assert _scalar(fresh_database.owner_url, "SELECT key_id FROM ragspine.grant_key") == key_id


def test_migrates_beside_a_pgvector_that_has_a_schema_of_its_own(server: EmbeddedServer) -> None:
    with clone(server, migrated_template(server, "extensions")) as database:
        query = "SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
        assert _scalar(database.owner_url, query) == "extensions"
        query = "SELECT pg_catalog.to_regclass('ragspine.chunk_lexical') IS NOT NULL"
        assert _scalar(database.owner_url, query) is True
