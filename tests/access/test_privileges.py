"""Reality has exactly the rights that privileges.py says: role × object × right, none for PUBLIC, none in advance."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg.schema.privileges import (
    DEFINERS,
    FUNCTIONS,
    GATE,
    GATE_FUNCTIONS,
    INGEST,
    READER,
    RELATIONS,
    ROLES,
    SEQUENCES,
)
from ragspine_pg.schema.snapshot import snapshot
from tests.access.privileges import EVERYBODY, faults, functions, gates, rights_of
from tests.fixtures.database import Database

Connection = psycopg.Connection[Any]


@pytest.fixture
def superuser(database: Database) -> Iterator[Connection]:
    """A superuser inside a transaction on the shared database, rolled back: for what the owner cannot do."""
    with psycopg.connect(database.superuser_url) as connection:
        yield connection
        connection.rollback()


def test_rights_owners_and_definers_are_those_of_the_table(owner_transaction: Connection) -> None:
    assert faults(owner_transaction) == {}


def test_the_matrix_is_not_empty(owner_transaction: Connection) -> None:
    """Every kind of object is there to be asked about, every group has rights, and PUBLIC has none."""
    found = rights_of(owner_transaction)
    by_kind = Counter((kind, role) for role, kind, _, _ in found)
    assert all(by_kind["schema", role] == 1 for role in ROLES)
    assert by_kind["table", INGEST] > 50
    assert by_kind["table", GATE] >= 9
    assert by_kind["table", READER] == 1
    assert by_kind["sequence", INGEST] == 1
    assert by_kind["function", READER] > 30
    assert by_kind["function", INGEST] > 20
    assert by_kind["function", GATE] >= 8
    assert {right for right in found if right[0] == EVERYBODY} == set()
    asked = "SELECT count(*) FROM pg_type WHERE typnamespace = 'ragspine'::regnamespace AND typcategory <> 'A'"
    assert owner_transaction.execute(asked).fetchone() == (len(RELATIONS),)
    assert len(DEFINERS) > 10
    assert all(DEFINERS.values())


_LEAKS = (
    "CREATE FUNCTION ragspine.leak() RETURNS bigint LANGUAGE sql SECURITY DEFINER {}"
    " AS 'SELECT count(*) FROM ragspine.chunk'; REVOKE ALL ON FUNCTION ragspine.leak() FROM PUBLIC"
)
_PATH, _QUIET = "SET search_path = pg_catalog, pg_temp", "SET client_min_messages = error"

# Fault → the rules that it breaks. Among them are rights on what nobody thought of: a partition, a column, a function
# that was added by hand. The owner of the schema plants them, or the superuser after RESET ROLE.
_FAULTS: dict[str, tuple[str, ...]] = {
    f"GRANT SELECT ON ragspine.grant_key TO {READER}": ("a right that nothing gives",),
    f"GRANT SELECT (lexeme) ON ragspine.lexeme TO {READER}": ("a right that nothing gives",),
    f"GRANT UPDATE ON ragspine.alembic_version TO {INGEST}": ("a right that nothing gives",),
    f"GRANT USAGE ON SEQUENCE ragspine.batch TO {READER}": ("a right that nothing gives",),
    f"GRANT CREATE ON SCHEMA ragspine TO {INGEST}": ("a right that nothing gives",),
    f"GRANT TRUNCATE ON ragspine.document TO {INGEST}": ("a right that nothing gives",),
    f"GRANT SELECT ON ragspine.chunk TO {READER}": ("a right that nothing gives",),
    f"GRANT SELECT ON ragspine.chunk TO {INGEST} WITH GRANT OPTION": ("a right that nothing gives",),
    "GRANT SELECT (key_id) ON ragspine.grant_key TO PUBLIC": ("a right that nothing gives",),
    "GRANT USAGE ON SCHEMA ragspine TO PUBLIC": ("a right that nothing gives",),
    "GRANT EXECUTE ON FUNCTION ragspine.read_passages_v1 TO PUBLIC": ("a right that nothing gives",),
    f"GRANT USAGE ON TYPE ragspine.chunk TO {INGEST}": ("a right that nothing gives",),
    "GRANT USAGE ON TYPE ragspine.chunk TO PUBLIC": ("a right that nothing gives",),
    "CREATE DOMAIN ragspine.stray AS int": ("a right that nothing gives",),  # USAGE is PUBLIC's by default
    "CREATE FUNCTION ragspine.stray() RETURNS int LANGUAGE sql AS 'SELECT 1'": ("a right that nothing gives",),
    # An overload of a name that the table gives to somebody.
    "CREATE FUNCTION ragspine.analyze(int) RETURNS int LANGUAGE sql AS 'SELECT 1';"
    " REVOKE ALL ON FUNCTION ragspine.analyze(int) FROM PUBLIC": ("a right that is missing",),
    f"CREATE VIEW ragspine.stray AS SELECT * FROM ragspine.chunk; GRANT SELECT ON ragspine.stray TO {READER};"
    " REVOKE ALL ON TYPE ragspine.stray FROM PUBLIC": ("a right that nothing gives",),
    "CREATE TABLE ragspine.p (n int) PARTITION BY LIST (n);"
    " CREATE TABLE ragspine.p_1 PARTITION OF ragspine.p DEFAULT;"
    " REVOKE ALL ON TYPE ragspine.p, ragspine.p_1 FROM PUBLIC; ALTER TABLE ragspine.p ENABLE ROW LEVEL SECURITY;"
    f" ALTER TABLE ragspine.p_1 ENABLE ROW LEVEL SECURITY; GRANT SELECT ON ragspine.p_1 TO {READER}": (
        "a right that nothing gives",
    ),
    f"REVOKE SELECT ON ragspine.chunk FROM {GATE}": ("a right that is missing",),
    f"REVOKE SELECT ON ragspine.chunk FROM {INGEST}": ("a right that is missing",),
    f"REVOKE EXECUTE ON FUNCTION ragspine.read_passages_v1 FROM {GATE}": ("a right that is missing",),
    "ALTER DEFAULT PRIVILEGES IN SCHEMA ragspine GRANT SELECT ON TABLES TO PUBLIC": ("given in advance",),
    f"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {READER}": ("given in advance",),
    f"ALTER DEFAULT PRIVILEGES FOR ROLE {GATE} GRANT ALL ON FUNCTIONS TO {READER}": ("given in advance",),
    "RESET ROLE; ALTER TABLE ragspine.lexeme OWNER TO postgres": ("another owner",),
    "RESET ROLE; ALTER SEQUENCE ragspine.batch OWNER TO postgres": ("another owner",),
    "RESET ROLE; ALTER FUNCTION ragspine.granted_v1 OWNER TO postgres": ("another owner",),
    "RESET ROLE; ALTER FUNCTION ragspine.find_document_v1 OWNER TO owner": (
        "a right that is missing",
        "another owner",
    ),
    "RESET ROLE; ALTER SCHEMA ragspine OWNER TO postgres": ("another owner",),
    "SELECT lo_create(0)": ("a large object",),
    "ALTER TABLE ragspine.chunk DISABLE ROW LEVEL SECURITY": ("no row-level security",),
    "CREATE TABLE ragspine.stray (n int); REVOKE ALL ON TYPE ragspine.stray FROM PUBLIC": ("no row-level security",),
    _LEAKS.format(f"{_PATH} {_QUIET}"): ("SECURITY DEFINER and not in the list",),
    "ALTER FUNCTION ragspine.assume_v1 SECURITY DEFINER": (
        "SECURITY DEFINER and not in the list",
        "SECURITY DEFINER and not pinned",
    ),
    "ALTER FUNCTION ragspine.granted_v1 SECURITY INVOKER": ("in the list and not SECURITY DEFINER",),
    "ALTER FUNCTION ragspine.granted_v1 RESET search_path": ("SECURITY DEFINER and not pinned",),
    "ALTER FUNCTION ragspine.granted_v1 SET search_path = public, pg_temp": ("SECURITY DEFINER and not pinned",),
    "ALTER FUNCTION ragspine.lexical_leg_v1 RESET client_min_messages": ("SECURITY DEFINER and not pinned",),
    "ALTER FUNCTION ragspine.lexical_leg_v1 SET client_min_messages = debug1": ("SECURITY DEFINER and not pinned",),
}


@pytest.mark.parametrize("fault", _FAULTS)
def test_rights_owners_and_definers_are_those_of_the_table_has_teeth(superuser: Connection, fault: str) -> None:
    superuser.execute("SET LOCAL ROLE owner")
    superuser.execute(fault)  # type: ignore[call-overload]  # text of our own
    superuser.execute("RESET ROLE")
    assert sorted(faults(superuser)) == sorted(_FAULTS[fault])


def test_public_has_no_right_on_anything_of_ours(database: Database) -> None:
    """By the lists of rights themselves, beside what PostgreSQL answers when it is asked."""
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
    assert set(FUNCTIONS) - {name for name, *_ in functions(owner_transaction)} == set()


def test_reader_has_no_right_on_any_table_but_the_revision(owner_transaction: Connection) -> None:
    rights = rights_of(owner_transaction, (READER,))
    assert {(name, right) for _, kind, name, right in rights if kind in ("table", "column", "sequence")} == {
        ("alembic_version", "SELECT")
    }


def test_gate_owns_its_functions_and_nothing_else(owner_transaction: Connection) -> None:
    assert gates(owner_transaction) == set(GATE_FUNCTIONS)
    assert set(GATE_FUNCTIONS) < DEFINERS.keys()
    relations = "SELECT relname::text FROM pg_class WHERE relowner = to_regrole(%s)::oid"
    assert owner_transaction.execute(relations, [GATE]).fetchall() == []


def test_gate_cannot_create_in_the_schema_once_migrated(owner_transaction: Connection) -> None:
    found = owner_transaction.execute("SELECT has_schema_privilege(%s, 'ragspine', 'CREATE')", [GATE]).fetchone()
    assert found == (False,)
