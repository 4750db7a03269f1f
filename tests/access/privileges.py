"""What rights there are in a database, as PostgreSQL judges them, and what there should be by schema/privileges.py."""

from collections.abc import Iterable, Iterator
from typing import Any

import psycopg

from ragspine_pg.schema.privileges import (
    DEFINERS,
    FUNCTIONS,
    GATE,
    GATE_FUNCTIONS,
    RELATIONS,
    ROLES,
    SEQUENCES,
)

Connection = psycopg.Connection[Any]
Right = tuple[str, str, str, str]  # role, kind, name, right

EVERYBODY = "public"
"""What PUBLIC is called where a right is asked for."""

# Functions by what they take, so that an overload cannot hide behind another. Types of arrays and multiranges have no
# rights of their own.
_REALITY = """
WITH
  wanted (role) AS (SELECT unnest(%(roles)s::text[])),
  relation AS (SELECT * FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace),
  type AS (
    SELECT * FROM pg_type WHERE typnamespace = 'ragspine'::regnamespace AND typcategory <> 'A' AND typtype <> 'm'
  )
SELECT role, 'table', relname::text, privilege
  FROM wanted, relation, unnest(%(table)s::text[]) AS privilege
 WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege(role, relation.oid, privilege)
UNION ALL
SELECT role, 'column', relname || '.' || attname, privilege
  FROM wanted, relation, pg_attribute, unnest(%(column)s::text[]) AS privilege
 WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
   AND NOT has_table_privilege(role, relation.oid, privilege)
   AND has_column_privilege(role, relation.oid, attnum, privilege)
UNION ALL
SELECT role, 'sequence', relname::text, privilege
  FROM wanted, relation, unnest(%(sequence)s::text[]) AS privilege
 WHERE relkind = 'S' AND has_sequence_privilege(role, relation.oid, privilege)
UNION ALL
SELECT role, 'function', pg_proc.oid::regprocedure::text, privilege
  FROM wanted, pg_proc, unnest(%(function)s::text[]) AS privilege
 WHERE pronamespace = 'ragspine'::regnamespace AND has_function_privilege(role, pg_proc.oid, privilege)
   AND (privilege = 'EXECUTE' OR proowner::regrole::text <> role)  -- who owns one may grant it
UNION ALL
SELECT role, 'type', typname::text, privilege
  FROM wanted, type, unnest(%(type)s::text[]) AS privilege
 WHERE has_type_privilege(role, type.oid, privilege)
UNION ALL
SELECT role, 'schema', 'ragspine', privilege
  FROM wanted, unnest(%(schema)s::text[]) AS privilege
 WHERE has_schema_privilege(role, 'ragspine', privilege)
"""

_PRIVILEGES = {
    "table": ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"),
    "column": ("SELECT", "INSERT", "UPDATE", "REFERENCES"),
    "sequence": ("SELECT", "UPDATE", "USAGE"),
    "function": ("EXECUTE",),
    "type": ("USAGE",),
    "schema": ("CREATE", "USAGE"),
}


def rights_of(connection: Connection, roles: Iterable[str] = (*ROLES, EVERYBODY)) -> set[Right]:
    """Every right that these roles have on schema ragspine and what is in it, and whether they may hand it on."""
    asked = {kind: [*names, *(f"{name} WITH GRANT OPTION" for name in names)] for kind, names in _PRIVILEGES.items()}
    if connection.info.server_version >= 170_000:
        asked["table"] += ["MAINTAIN", "MAINTAIN WITH GRANT OPTION"]
    connection.execute("SET LOCAL search_path = pg_catalog, pg_temp")
    return set(connection.execute(_REALITY, {"roles": list(roles), **asked}).fetchall())


def table_of_rights(connection: Connection, roles: Iterable[str] = ROLES) -> set[Right]:
    """Those that the table of rights gives them on the functions there are."""
    return {right for right in _table(connection) if right[0] in set(roles)}


def _table(connection: Connection) -> Iterator[Right]:
    for role in ROLES:
        yield role, "schema", "ragspine", "USAGE"
    for kind, table in (("table", RELATIONS), ("sequence", SEQUENCES)):
        for name, rights in table.items():
            for role, granted in rights.items():
                yield from ((role, kind, name, right) for right in granted.split(", "))
    for name, signature, *_ in functions(connection):
        yield from ((role, "function", signature, "EXECUTE") for role in FUNCTIONS.get(name, ()))


def functions(connection: Connection) -> list[tuple[str, str, str, bool, list[str]]]:
    """Of every function: name, name with arguments, owner, whether it is SECURITY DEFINER, its settings."""
    connection.execute("SET LOCAL search_path = pg_catalog, pg_temp")
    query = """
        SELECT proname::text, oid::regprocedure::text, pg_get_userbyid(proowner)::text, prosecdef,
               coalesce(proconfig, '{}')
          FROM pg_proc WHERE pronamespace = 'ragspine'::regnamespace
    """
    return connection.execute(query).fetchall()


def gates(connection: Connection) -> set[str]:
    """The functions that the gate owns."""
    return {name for name, _, owner, *_ in functions(connection) if owner == GATE}


_OWNED_BY_OTHERS = """
WITH ours AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname = 'ragspine')
SELECT 'relation ' || relname FROM pg_class JOIN ours ON relnamespace = ours.oid WHERE relowner <> nspowner
UNION ALL
SELECT 'type ' || typname FROM pg_type JOIN ours ON typnamespace = ours.oid WHERE typowner <> nspowner
UNION ALL
SELECT 'function ' || proname
  FROM pg_proc JOIN ours ON pronamespace = ours.oid
 WHERE proowner <> CASE WHEN proname = ANY (%(gates)s::text[]) THEN %(gate)s::regrole::oid ELSE nspowner END
UNION ALL
SELECT 'schema, a superuser''s' FROM ours JOIN pg_roles ON pg_roles.oid = nspowner WHERE rolsuper
"""

# What comes with objects that are made later, and what is kept outside of tables.
_GIVEN_IN_ADVANCE = """
SELECT defaclobjtype::text || ': ' || defaclacl::text
  FROM pg_default_acl
 WHERE defaclnamespace = 'ragspine'::regnamespace
    OR defaclrole IN ((SELECT nspowner FROM pg_namespace WHERE nspname = 'ragspine'), %(gate)s::regrole)
"""
_LARGE_OBJECTS = """
SELECT oid::text FROM pg_largeobject_metadata
 WHERE lomowner IN ((SELECT nspowner FROM pg_namespace WHERE nspname = 'ragspine'), %(gate)s::regrole)
"""
_WITHOUT_ROW_SECURITY = """
SELECT relname::text FROM pg_class
 WHERE relnamespace = 'ragspine'::regnamespace AND relkind IN ('r', 'p') AND NOT relrowsecurity
   AND relname <> 'alembic_version'
"""

PINNED = ("search_path=pg_catalog, pg_temp", "client_min_messages=error")
"""The settings of every SECURITY DEFINER function."""


def faults(connection: Connection) -> dict[str, set[Any]]:
    """What is not as ``schema/privileges.py`` says, by the rule that it breaks; nothing in a sound database."""
    names = {"gates": list(GATE_FUNCTIONS), "gate": GATE}
    found, wanted = rights_of(connection), table_of_rights(connection)
    definers = {name: settings for name, _, _, definer, settings in functions(connection) if definer}
    broken: dict[str, set[Any]] = {
        "a right that nothing gives": found - wanted,
        "a right that is missing": wanted - found,
        "another owner": _firsts(connection, _OWNED_BY_OTHERS, names),
        "given in advance": _firsts(connection, _GIVEN_IN_ADVANCE, names),
        "a large object": _firsts(connection, _LARGE_OBJECTS, names),
        "no row-level security": _firsts(connection, _WITHOUT_ROW_SECURITY, names),
        "SECURITY DEFINER and not in the list": definers.keys() - DEFINERS.keys(),
        "in the list and not SECURITY DEFINER": DEFINERS.keys() - definers.keys(),
        "SECURITY DEFINER and not pinned": {name for name, has in definers.items() if not set(PINNED) <= set(has)},
    }
    return {rule: what for rule, what in broken.items() if what}


def _firsts(connection: Connection, query: str, names: dict[str, Any]) -> set[str]:
    return {row[0] for row in connection.execute(query, names)}
