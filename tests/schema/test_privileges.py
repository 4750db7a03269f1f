"""Reality has exactly the rights that privileges.py says: over every relation, column, sequence and function."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.schema.migrate import downgrade, migrate, sql_script
from ragspine_pg.schema.privileges import (
    FUNCTIONS,
    GATE,
    GATE_FUNCTIONS,
    INGEST,
    LOGIN_GROUPS,
    READER,
    RELATIONS,
    ROLES,
    SEQUENCES,
)
from ragspine_pg.schema.snapshot import snapshot
from ragspine_pg.schema.tables import metadata
from tests.fixtures.database import Database, empty_database
from tests.schema.script import psql

Connection = psycopg.Connection[Any]
Right = tuple[str, str, str, str]  # role, kind, name, right

_REALITY = """
WITH wanted (role) AS (SELECT unnest(%(roles)s::text[]))
SELECT role, 'table', relname::text, privilege
  FROM wanted, pg_class,
       unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
 WHERE relnamespace = 'ragspine'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
   AND has_table_privilege(role, pg_class.oid, privilege)
UNION ALL
SELECT role, 'column', format('%%s.%%s', attrelid::regclass, attname), privilege
  FROM wanted, pg_class, pg_attribute, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS privilege
 WHERE relnamespace = 'ragspine'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
   AND attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
   AND NOT has_table_privilege(role, pg_class.oid, privilege)
   AND has_column_privilege(role, pg_class.oid, attnum, privilege)
UNION ALL
SELECT role, 'sequence', relname::text, privilege
  FROM wanted, pg_class, unnest(ARRAY['SELECT', 'UPDATE', 'USAGE']) AS privilege
 WHERE relnamespace = 'ragspine'::regnamespace AND relkind = 'S'
   AND has_sequence_privilege(role, pg_class.oid, privilege)
UNION ALL
SELECT role, 'function', proname::text, 'EXECUTE'
  FROM wanted, pg_proc
 WHERE pronamespace = 'ragspine'::regnamespace AND has_function_privilege(role, pg_proc.oid, 'EXECUTE')
UNION ALL
SELECT role, 'schema', 'ragspine', privilege
  FROM wanted, unnest(ARRAY['CREATE', 'USAGE']) AS privilege
 WHERE has_schema_privilege(role, 'ragspine', privilege)
"""


def _reality(connection: Connection, roles: tuple[str, ...] = ROLES) -> set[Right]:
    return set(connection.execute(_REALITY, {"roles": list(roles)}).fetchall())


def _table() -> Iterator[Right]:
    for role in ROLES:
        yield role, "schema", "ragspine", "USAGE"
    for kind, table in (("table", RELATIONS), ("sequence", SEQUENCES)):
        for name, rights in table.items():
            for role, granted in rights.items():
                yield from ((role, kind, name, right) for right in granted.split(", "))
    for name, roles in FUNCTIONS.items():
        yield from ((role, "function", name, "EXECUTE") for role in roles)


def test_rights_are_those_of_the_table(owner_transaction: Connection) -> None:
    assert _reality(owner_transaction) == set(_table())


# Rights on what nobody thought of: a partition, a column, a function that was added by hand.
@pytest.mark.parametrize(
    "fault",
    [
        f"GRANT SELECT ON ragspine.grant_key TO {READER}",
        f"GRANT SELECT (lexeme) ON ragspine.lexeme TO {READER}",
        f"GRANT UPDATE ON ragspine.alembic_version TO {INGEST}",
        f"GRANT USAGE ON SEQUENCE ragspine.batch TO {READER}",
        f"GRANT CREATE ON SCHEMA ragspine TO {INGEST}",
        f"GRANT TRUNCATE ON ragspine.document TO {INGEST}",
        f"GRANT SELECT ON ragspine.chunk TO {READER}",
        f"REVOKE SELECT ON ragspine.chunk FROM {GATE}",
        f"REVOKE SELECT ON ragspine.chunk FROM {INGEST}",
        f"REVOKE EXECUTE ON FUNCTION ragspine.read_passages_v1 FROM {GATE}",
        "CREATE FUNCTION ragspine.stray() RETURNS int LANGUAGE sql AS 'SELECT 1'",  # EXECUTE is PUBLIC's by default
        "CREATE TABLE ragspine.p (n int) PARTITION BY LIST (n);"
        f" CREATE TABLE ragspine.p_1 PARTITION OF ragspine.p DEFAULT; GRANT SELECT ON ragspine.p_1 TO {READER}",
    ],
)
def test_rights_are_those_of_the_table_has_teeth(owner_transaction: Connection, fault: str) -> None:
    owner_transaction.execute(fault)
    assert _reality(owner_transaction) != set(_table())


def test_public_has_no_right_on_anything_of_ours(database: Database) -> None:
    lines = [line for line in snapshot(database.owner_url).split("\n") if line.startswith("grant on")]
    assert len(lines) > 50
    assert [line for line in lines if "PUBLIC" in line] == []
    assert [line for line in lines if "grant option" in line] == []


def test_table_names_nothing_that_does_not_exist(owner_transaction: Connection) -> None:
    query = """
        SELECT relname::text FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace AND relkind = %s
    """
    assert {row[0] for row in owner_transaction.execute(query, ["r"])} == set(RELATIONS)
    assert set(SEQUENCES) <= {row[0] for row in owner_transaction.execute(query, ["S"])}
    functions = "SELECT proname::text FROM pg_proc WHERE pronamespace = 'ragspine'::regnamespace"
    assert set(FUNCTIONS) - {row[0] for row in owner_transaction.execute(functions)} == set()


def test_migrating_again_takes_back_what_was_granted_by_hand(fresh_database: Database) -> None:
    before = snapshot(fresh_database.owner_url)
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute(f"GRANT SELECT ON ragspine.grant_key TO {READER}, PUBLIC")
        connection.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ragspine TO PUBLIC")
        connection.execute(f"GRANT INSERT, DELETE ON ragspine.chunk TO {READER}, {GATE}")
        connection.execute(f"REVOKE ALL ON ragspine.document FROM {INGEST}, {GATE}")
        connection.execute(f"REVOKE EXECUTE ON FUNCTION ragspine.read_passages_v1 FROM {READER}, {GATE}")
        connection.execute("ALTER FUNCTION ragspine.find_document_v1 OWNER TO owner")
        connection.execute("ALTER POLICY readable ON ragspine.chunk RENAME TO other")
        connection.execute("DROP POLICY readable ON ragspine.document")
    migrate(fresh_database.owner_url)
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("DROP POLICY other ON ragspine.chunk")
    assert snapshot(fresh_database.owner_url) == before


_WITHOUT_ROW_SECURITY = """
SELECT relname::text FROM pg_class
 WHERE relnamespace = 'ragspine'::regnamespace AND relkind IN ('r', 'p') AND NOT relrowsecurity
"""


def test_row_security_is_on_for_every_table_but_the_revision(owner_transaction: Connection) -> None:
    assert owner_transaction.execute(_WITHOUT_ROW_SECURITY).fetchall() == [("alembic_version",)]


def test_row_security_is_on_for_every_table_but_the_revision_has_teeth(owner_transaction: Connection) -> None:
    owner_transaction.execute("CREATE TABLE ragspine.stray (n int)")
    assert ("stray",) in owner_transaction.execute(_WITHOUT_ROW_SECURITY).fetchall()


_KEYS_WITHOUT_TENANT = """
SELECT conname::text
  FROM pg_constraint
  JOIN pg_class ON pg_class.oid = conrelid
 WHERE relnamespace = 'ragspine'::regnamespace AND contype IN ('p', 'u', 'f')
   AND (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) <> 'tenant_no'
UNION ALL
SELECT indexrelid::regclass::text
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indrelid
 WHERE relnamespace = 'ragspine'::regnamespace AND indisunique
   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
   AND (SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0]) IS DISTINCT FROM 'tenant_no'
"""


def test_every_key_of_tenants_data_begins_with_the_tenant(owner_transaction: Connection) -> None:
    found = {row[0] for row in owner_transaction.execute(_KEYS_WITHOUT_TENANT)}
    assert found == {
        "alembic_version_pkc",  # Alembic's
        "pk_grant_key",  # the installation's
        "uq_tenant__tenant",  # the tenant's own name
    }


def test_every_key_of_tenants_data_begins_with_the_tenant_has_teeth(owner_transaction: Connection) -> None:
    owner_transaction.execute("CREATE UNIQUE INDEX stray ON ragspine.chunk (chunk_id)")
    assert "ragspine.stray" in {row[0] for row in owner_transaction.execute(_KEYS_WITHOUT_TENANT)}


def test_every_table_of_the_metadata_has_a_comment() -> None:
    assert [table.name for table in metadata.tables.values() if not table.comment] == []


def test_reader_has_no_right_on_any_table_but_the_revision(owner_transaction: Connection) -> None:
    rights = _reality(owner_transaction, (READER,))
    assert {(name, right) for _, kind, name, right in rights if kind in ("table", "column", "sequence")} == {
        ("alembic_version", "SELECT")
    }


_OWNERS = """
SELECT proname::text, pg_get_userbyid(proowner)::text, prosecdef FROM pg_proc
 WHERE pronamespace = 'ragspine'::regnamespace
"""


def _gates(connection: Connection) -> set[str]:
    """The functions that the gate owns."""
    return {name for name, owner, _ in connection.execute(_OWNERS) if owner == GATE}


def test_gate_owns_its_functions_and_nothing_else(owner_transaction: Connection) -> None:
    rows = owner_transaction.execute(_OWNERS).fetchall()
    assert _gates(owner_transaction) == set(GATE_FUNCTIONS)
    assert {owner for _, owner, _ in rows} == {"owner", GATE}
    assert {definer for name, _, definer in rows if name in GATE_FUNCTIONS} == {True}
    relations = "SELECT relname::text FROM pg_class WHERE relowner = to_regrole(%s)::oid"
    assert owner_transaction.execute(relations, [GATE]).fetchall() == []


def test_gate_cannot_create_in_the_schema_once_migrated(owner_transaction: Connection) -> None:
    found = owner_transaction.execute("SELECT has_schema_privilege(%s, 'ragspine', 'CREATE')", [GATE]).fetchone()
    assert found == (False,)


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
        assert _reality(connection) == set(_table())
        assert _gates(connection) == set(GATE_FUNCTIONS)
    assert "policy chunk.writable" in snapshot(url)


def test_owner_without_createrole_uses_the_group_roles_that_exist(alone: tuple[str, Connection]) -> None:
    url, superuser = alone
    superuser.execute(f"CREATE ROLE {READER} NOLOGIN; CREATE ROLE {INGEST} NOLOGIN")
    assert migrate(url).missing_roles == (GATE,)
    with psycopg.connect(url) as connection:
        assert _reality(connection, LOGIN_GROUPS) == {right for right in _table() if right[0] != GATE}
        assert _gates(connection) == set()
    superuser.execute(f"CREATE ROLE {GATE} NOLOGIN")
    with pytest.raises(ConfigurationError, match=f"GRANT {GATE} TO owner WITH INHERIT TRUE, SET TRUE"):
        migrate(url)  # the owner is no member of it yet
    with psycopg.connect(url) as connection:
        assert _gates(connection) == set()
        assert _reality(connection, LOGIN_GROUPS) == {right for right in _table() if right[0] != GATE}
    superuser.execute(f"GRANT {GATE} TO owner")
    assert migrate(url).missing_roles == ()
    with psycopg.connect(url) as connection:
        assert _gates(connection) == set(GATE_FUNCTIONS)
        assert _reality(connection) == set(_table())
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
            assert _gates(connection) == set(GATE_FUNCTIONS)
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
        assert _gates(connection) == set(GATE_FUNCTIONS)
