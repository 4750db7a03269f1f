"""What a superuser sets up once around the schema: group roles, logins, a database, pgvector.

Nothing of ours needs a superuser later on: ``migrate`` runs as the plain owner of the database.
"""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

READER_GROUP = "ragspine_reader"
INGEST_GROUP = "ragspine_ingest"
GATE = "ragspine_gate"

# Each login holds one authority: the owner of the database, or membership of one group.
LOGINS: Mapping[str, str | None] = {"owner": None, "ingest": INGEST_GROUP, "reader": READER_GROUP}


def make_roles(connection: psycopg.Connection[Any], passwords: Mapping[str, str]) -> None:
    """Create the groups and logins, or set the logins' passwords and memberships again; autocommit, as superuser."""
    for group in (READER_GROUP, INGEST_GROUP, GATE):
        _make_role(connection, group, sql.SQL("NOLOGIN"))
    for login, membership in LOGINS.items():
        _make_role(connection, login, sql.SQL("LOGIN PASSWORD {}").format(sql.Literal(passwords[login])))
        if membership is not None:
            connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(membership), sql.Identifier(login)))
    connection.execute(sql.SQL("GRANT {} TO owner").format(sql.Identifier(GATE)))  # who migrates gives it its functions
    for database in ("postgres", "template1"):
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(database)))


def make_database(connection: psycopg.Connection[Any], name: str, *, template: str | None = None) -> None:
    """Create database ``name`` (from ``template``) for the owner, unless it exists; autocommit, as superuser.

    Nobody but the owner and the ingest login may make temporary tables in it.
    """
    database = sql.Identifier(name)
    if connection.execute("SELECT FROM pg_catalog.pg_database WHERE datname = %s", [name]).fetchone() is None:
        # WAL_LOG, the default strategy, writes a small database to the log page by page and needs no checkpoint.
        copied = sql.SQL(" TEMPLATE {}").format(sql.Identifier(template)) if template else sql.SQL("")
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER owner{}").format(database, copied))
    connection.execute(sql.SQL("REVOKE TEMPORARY, CREATE ON DATABASE {} FROM PUBLIC").format(database))
    connection.execute(sql.SQL("GRANT TEMPORARY ON DATABASE {} TO ingest").format(database))


def make_vector(connection: psycopg.Connection[Any], *, schema: str = "public") -> None:
    """Create pgvector in the connected database, in ``schema``, or bring it to the version that is installed."""
    if schema != "public":
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(sql.Identifier(schema)))
    connection.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA {}").format(sql.Identifier(schema)))
    connection.execute("ALTER EXTENSION vector UPDATE")
    connection.execute(_CLOSE_COUNTERS)


# A transaction's own counters tell which rows a function looked at, hidden ones too: they are the administrator's.
_CLOSE_COUNTERS = """
DO $close$
DECLARE
  counter text;
BEGIN
  FOR counter IN
    SELECT oid::regprocedure::text FROM pg_catalog.pg_proc
     WHERE pronamespace = 'pg_catalog'::regnamespace
       AND proname ~ '^pg_stat_get_(xact_)?(numscans|lastscan|tuples_|live_|dead_|mod_since|ins_since|blocks_)'
  LOOP
    EXECUTE 'REVOKE EXECUTE ON FUNCTION ' || counter || ' FROM PUBLIC';
  END LOOP;
END
$close$"""


def _make_role(connection: psycopg.Connection[Any], name: str, attributes: sql.Composable) -> None:
    found = connection.execute("SELECT FROM pg_catalog.pg_roles WHERE rolname = %s", [name]).fetchone()
    verb = sql.SQL("CREATE" if found is None else "ALTER")
    connection.execute(sql.SQL("{} ROLE {} {}").format(verb, sql.Identifier(name), attributes))
