"""Migrating makes rights true again, with whatever group roles there are and whatever the migrating role may do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.schema.migrate import downgrade, migrate, sql_script
from ragspine_pg.schema.privileges import GATE, GATE_FUNCTIONS, INGEST, LOGIN_GROUPS, READER, ROLES
from ragspine_pg.schema.snapshot import snapshot
from tests.access.privileges import gates, rights_of, table_of_rights
from tests.fixtures.database import Database, empty_database
from tests.schema.script import psql

Connection = psycopg.Connection[Any]


def test_migrating_again_takes_back_what_was_granted_by_hand(fresh_database: Database) -> None:
    before = snapshot(fresh_database.owner_url)
    handed_on = (
        "USAGE ON SCHEMA ragspine",
        "SELECT ON ragspine.lexeme",
        "SELECT (lexeme) ON ragspine.lexeme",
        "USAGE ON SEQUENCE ragspine.batch",
        "EXECUTE ON FUNCTION ragspine.environment_v1()",
        "USAGE ON TYPE ragspine.lexeme",
    )
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute(f"GRANT SELECT ON ragspine.grant_key TO {READER}, PUBLIC")
        connection.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ragspine TO PUBLIC")
        connection.execute(f"GRANT INSERT, DELETE ON ragspine.chunk TO {READER}, {GATE}")
        connection.execute(f"REVOKE ALL ON ragspine.document FROM {INGEST}, {GATE}")
        connection.execute(f"REVOKE EXECUTE ON FUNCTION ragspine.read_passages_v1 FROM {READER}, {GATE}")
        connection.execute("ALTER FUNCTION ragspine.find_document_v1 OWNER TO owner")
        connection.execute("ALTER POLICY readable ON ragspine.chunk RENAME TO other")
        connection.execute("DROP POLICY readable ON ragspine.document")
        for what in handed_on:
            connection.execute(f"GRANT {what} TO {READER} WITH GRANT OPTION")  # type: ignore[call-overload]
    with psycopg.connect(fresh_database.reader_url) as connection:
        for what in handed_on:
            connection.execute(f"GRANT {what} TO ingest, PUBLIC")  # type: ignore[call-overload]
    taken = snapshot(fresh_database.owner_url).splitlines()
    assert len([line for line in taken if line.endswith(" to ingest")]) == len(handed_on)
    migrate(fresh_database.owner_url)
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("DROP POLICY other ON ragspine.chunk")
    assert snapshot(fresh_database.owner_url) == before


@pytest.fixture
def alone(passable: Path) -> Iterator[tuple[str, Connection]]:
    """On a server of the test's own: the URL of an owner who may not create roles, and a superuser; no group roles."""
    with EmbeddedServer.open(passable / "server", durable=False) as server:
        url = empty_database(server, "alone")
        with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as superuser:
            superuser.execute(f"DROP ROLE {', '.join(ROLES)}")  # type: ignore[call-overload]
            yield url, superuser


def test_owner_without_createrole_migrates_where_the_group_roles_are_missing(alone: tuple[str, Connection]) -> None:
    url, superuser = alone
    assert migrate(url).missing_roles == ROLES
    without = snapshot(url)
    assert "ragspine_" not in without
    assert "policy chunk.readable" in without
    superuser.execute(f"CREATE ROLE {READER} NOLOGIN")
    assert migrate(url).missing_roles == (INGEST, GATE)
    superuser.execute("ALTER ROLE owner CREATEROLE")
    assert migrate(url).missing_roles == ()
    with psycopg.connect(url) as connection:
        assert rights_of(connection) == table_of_rights(connection)
        assert gates(connection) == set(GATE_FUNCTIONS)
    assert "policy chunk.writable" in snapshot(url)


def test_owner_without_createrole_uses_the_group_roles_that_exist(alone: tuple[str, Connection]) -> None:
    url, superuser = alone
    superuser.execute(f"CREATE ROLE {READER} NOLOGIN; CREATE ROLE {INGEST} NOLOGIN")
    assert migrate(url).missing_roles == (GATE,)
    with psycopg.connect(url) as connection:
        assert rights_of(connection, LOGIN_GROUPS) == table_of_rights(connection, LOGIN_GROUPS)
        assert gates(connection) == set()
    superuser.execute(f"CREATE ROLE {GATE} NOLOGIN")
    with pytest.raises(ConfigurationError, match=f"GRANT {GATE} TO owner WITH INHERIT TRUE, SET TRUE"):
        migrate(url)  # the owner is no member of it yet
    with psycopg.connect(url) as connection:
        assert gates(connection) == set()
        assert rights_of(connection, LOGIN_GROUPS) == table_of_rights(connection, LOGIN_GROUPS)
    superuser.execute(f"GRANT {GATE} TO owner")
    assert migrate(url).missing_roles == ()
    with psycopg.connect(url) as connection:
        assert gates(connection) == set(GATE_FUNCTIONS)
        assert rights_of(connection) == table_of_rights(connection)
    before = snapshot(url)
    migrate(url)
    assert snapshot(url) == before


@pytest.mark.parametrize("options", [None, "INHERIT FALSE, SET TRUE", "INHERIT TRUE, SET FALSE"])
def test_owner_that_cannot_use_the_gate_is_refused_and_nothing_is_made(
    alone: tuple[str, Connection], options: str | None
) -> None:
    url, superuser = alone
    superuser.execute(f"CREATE ROLE {GATE} NOLOGIN")
    if options is not None:
        superuser.execute(f"GRANT {GATE} TO owner WITH {options}")  # type: ignore[call-overload]
    with pytest.raises(ConfigurationError, match="nothing was migrated: role ragspine_gate exists") as refused:
        migrate(url)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regnamespace('ragspine')").fetchone() == (None,)
    done = psql(url, sql_script())
    assert done.returncode != 0
    assert "role ragspine_gate exists" in done.stderr
    # What it says to run is enough.
    _, _, advice = str(refused.value).partition("as an administrator: ")
    superuser.execute(advice.partition(";")[0])  # type: ignore[call-overload]
    for _ in range(2):
        migrate(url)
        with psycopg.connect(url) as connection:
            assert gates(connection) == set(GATE_FUNCTIONS)
    downgrade(url)
    migrate(url)


def test_a_role_with_create_on_the_database_migrates_and_owns_the_schema_alone(alone: tuple[str, Connection]) -> None:
    url, superuser = alone
    superuser.execute(f"CREATE ROLE {GATE} NOLOGIN; CREATE ROLE plain LOGIN PASSWORD 'plain' IN ROLE {GATE}")
    superuser.execute("GRANT CREATE ON DATABASE alone TO plain")
    head, _, tail = url.partition("@")
    assert "//owner:" in head
    plain = f"postgresql://plain:plain@{tail}"
    for _ in range(2):
        migrate(plain)
        downgrade(plain)
    migrate(plain)
    with psycopg.connect(plain) as connection:
        assert gates(connection) == set(GATE_FUNCTIONS)
