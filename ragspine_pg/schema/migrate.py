"""Brings schema ``ragspine`` to the revision of this code, by its own Alembic chain in its own version table."""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import alembic.context
import alembic.op
import psycopg
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from ragspine_pg.errors import ConfigurationError, SchemaError
from ragspine_pg.flow.translate import translate
from ragspine_pg.schema.check import ahead, require_ours
from ragspine_pg.schema.grant_key import store_grant_key
from ragspine_pg.schema.lend import Target, lend
from ragspine_pg.schema.privileges import ROLES
from ragspine_pg.schema.revision import HEAD, REVISIONS
from ragspine_pg.statement.render import quote_identifier

# Alembic keeps what is being migrated in module globals: one migration at a time in a process.
_one_at_a_time = threading.RLock()


@dataclass(frozen=True, slots=True)
class Migrated:
    """What a migration did."""

    before: str | None
    """The revision that was found; ``None`` for an empty database."""

    after: str
    """The revision there is now."""

    grant_key: str | None
    """The new key that signs grants, as ``<key_id>:<64 hex digits>``; shown this once, ``None`` if there was one."""

    missing_roles: tuple[str, ...]
    """Group roles that do not exist and could not be created: make them and migrate again."""

    added_key_id: str | None = None
    """The id of the key that was given and that the database did not know: from now on it signs, beside the others."""

    def __repr__(self) -> str:
        key = "None" if self.grant_key is None else "'(secret)'"
        return (
            f"Migrated(before={self.before!r}, after={self.after!r}, grant_key={key},"
            f" missing_roles={self.missing_roles!r}, added_key_id={self.added_key_id!r})"
        )


def migrate(target: Target, *, grant_key: str | None = None) -> Migrated:
    """Create or upgrade schema ``ragspine``; harmless when nothing is left to do.

    All in one transaction under an advisory lock, so that any number of processes may do it at once. On a lent
    connection with an open transaction it is a part of that transaction. Rights, policies and group roles are made
    true again each time. ``grant_key`` is a key to use (see ``Migrated.grant_key``); without one the first migration
    makes it.

    :raises SchemaError: the database is ahead of this code, or pgvector can be neither found nor installed.
    :raises SchemaMismatch: another build of this code's revision was here.
    :raises ConfigurationError: ``target`` or ``grant_key`` is of the wrong kind, or the login may not migrate, or
        role ``ragspine_gate`` exists and the login cannot use it (the message names the GRANT).
    :raises UnavailableError: the database cannot be reached.
    """
    with lend(target) as connection, _owner_needed(), _settings_kept(connection):
        lock(connection)
        before, stamp = found_in(connection)
        if before is not None and before not in REVISIONS:
            raise ahead(before)
        if before == HEAD:
            require_ours(before, stamp)
        with _config(connection=connection) as config:
            command.upgrade(config, HEAD)
        stored = store_grant_key(connection, grant_key)
        made = stored.text if stored is not None and grant_key is None else None
        added = stored.key_id if stored is not None and grant_key is not None else None
        return Migrated(before, HEAD, made, _missing_roles(connection), added)


def downgrade(target: Target) -> None:
    """Drop schema ``ragspine`` and all its data, revision by revision; the extension and the group roles stay.

    :raises SchemaError: the database is ahead of this code, so that this code cannot take it back.
    """
    with lend(target) as connection, _settings_kept(connection):
        lock(connection)
        before, _ = found_in(connection)
        if before is None:
            return
        if before not in REVISIONS:
            raise ahead(before)
        with _config(connection=connection) as config:
            command.downgrade(config, "base")
        connection.exec_driver_sql("DROP TABLE ragspine.alembic_version")
        connection.exec_driver_sql("DROP SCHEMA ragspine")


def sql_script(from_: str = "base", to: str = "head", *, vector_schema: str = "public") -> str:
    """The SQL that takes a database from one revision to another, for psql and for reading; one transaction.

    ``vector_schema`` is the schema of extension ``vector``; the script stops if it is in another one.

    :raises SchemaError: there is no such revision.
    """
    for revision in (from_, to):
        if revision not in {"base", "head", *REVISIONS}:
            raise SchemaError(f"there is no revision {revision}; this code knows {', '.join(REVISIONS)}")
    buffer = io.StringIO()
    with _config(vector_schema=vector_schema, before=[_offline_vector(vector_schema)]) as config:
        config.output_buffer = buffer
        command.upgrade(config, f"{'base' if from_ == 'base' else _number(from_)}:{_number(to)}", sql=True)
    return _OFFLINE_HEADER + buffer.getvalue() + _OFFLINE_KEY


def _number(revision: str) -> str:
    return HEAD if revision == "head" else revision


_OFFLINE_HEADER = """\
-- Schema ragspine. Run as who is to own it (docs/guide/hosting.md, "Roles"): psql -v ON_ERROR_STOP=1 -f THIS_FILE

"""

_OFFLINE_KEY = """\
-- The key that signs grants is no part of this script: `ragspine-pg migrate` makes one if there is none and shows it
-- once. Without it, run this with a key of your own, and keep RAGSPINE_GRANT_KEY as '<key_id>:<key in hex>':
--   INSERT INTO ragspine.grant_key (key_id, inner_pad, outer_pad)  -- key: 32 random bytes
--   VALUES (<first 8 hex digits of sha256(key)>,
--           <key, filled up with zero bytes to 64, each byte XOR 0x36>, <the same, each byte XOR 0x5c>);
"""


def _offline_vector(schema: str) -> str:
    name = quote_identifier(schema)
    literal = "'" + schema.replace("'", "''") + "'"
    return f"""\
DO $vector$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'vector') THEN
    CREATE EXTENSION vector SCHEMA {name};
  END IF;
  IF NOT EXISTS (
    SELECT FROM pg_catalog.pg_extension JOIN pg_catalog.pg_namespace ON pg_namespace.oid = extnamespace
     WHERE extname = 'vector' AND nspname = {literal}
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'RS002',
      MESSAGE = 'extension vector is in another schema than this script says; make the script with --vector-schema';
  END IF;
END
$vector$"""  # noqa: S608 - quoted above


def lock(connection: Connection) -> None:
    """Wait until nobody else migrates this database; held until the transaction ends."""
    from ragspine_pg.schema.environment import LOCK_KEY

    connection.exec_driver_sql(f"SELECT pg_catalog.pg_advisory_xact_lock({LOCK_KEY})")


def found_in(connection: Connection) -> tuple[str | None, str | None]:
    """The revision of the database, and its stamp (see ``STAMP``); ``None`` where nothing of ours was ever migrated."""
    if connection.exec_driver_sql("SELECT pg_catalog.to_regclass('ragspine.alembic_version')").scalar() is None:
        return None, None
    found = connection.exec_driver_sql(
        "SELECT version_num, pg_catalog.obj_description('ragspine.alembic_version'::regclass, 'pg_class')"
        " FROM ragspine.alembic_version"
    ).one_or_none()
    return (None, None) if found is None else (str(found[0]), found[1])


def _missing_roles(connection: Connection) -> tuple[str, ...]:
    known = {row[0] for row in connection.exec_driver_sql("SELECT rolname FROM pg_catalog.pg_roles")}
    return tuple(role for role in ROLES if role not in known)


@contextmanager
def _owner_needed() -> Iterator[None]:
    """A right that is missing becomes an error that says whose it is."""
    try:
        yield
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.Error) and (error.orig.sqlstate or "").startswith("RS"):
            raise translate(error.orig) from None
        if getattr(error.orig, "sqlstate", None) != "42501":
            raise
        raise ConfigurationError(
            "this login may not migrate: use one that owns schema ragspine, or may create it, as who owns the database"
            " or has CREATE on it (RAGSPINE_OWNER_URL), and that is a member of ragspine_gate where that role exists (a"
            " privileged login makes it one: GRANT ragspine_gate TO <this login> WITH INHERIT TRUE, SET TRUE)"
        ) from None


@contextmanager
def _settings_kept(connection: Connection) -> Iterator[None]:
    """Gives a lent transaction its settings back, which ours replaces for its duration."""
    names = ("search_path", "check_function_bodies")
    found = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]
    yield
    for name, value in zip(names, found, strict=True):
        connection.execute(text("SELECT pg_catalog.set_config(:name, :value, true)"), {"name": name, "value": value})


@contextmanager
def _config(**attributes: Any) -> Iterator[Config]:
    """An Alembic configuration of our chain, usable inside a host's own migration."""
    config = Config(attributes=attributes)
    config.set_main_option("script_location", str(files("ragspine_pg._migrations")).replace("%", "%%"))
    with _one_at_a_time:
        # A migration inside a host's migration: Alembic forgets the outer one, so give it back.
        outer = [module.__dict__.get("_proxy") for module in (alembic.op, alembic.context)]
        try:
            yield config
        finally:
            for proxy in outer:
                if proxy is not None:
                    proxy._install_proxy()
