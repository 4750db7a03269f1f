"""Whether the schema in the database is the one this code needs; without SQLAlchemy or Alembic."""

from typing import Any

import psycopg

from ragspine_pg.errors import SchemaError, SchemaMismatch
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.revision import HEAD, REVISIONS, STAMP
from ragspine_pg.statement.catalogue import query

_FIND = query("find_schema_version", bool)
_READ = query("read_schema_version")


def check_schema() -> Flow[None]:
    """Ends quietly if the database is at this code's revision, and this code's build made it.

    :raises SchemaError: nothing was migrated, or the schema is behind or ahead; the message says what to run.
    :raises SchemaMismatch: another build made it.
    """
    (migrated,) = yield from fetch(_FIND)
    found = (yield from fetch(_READ)) if migrated else []
    if not found:
        raise SchemaError("this database has no schema ragspine; run `ragspine-pg migrate` as its owner", needed=HEAD)
    ((revision, stamp),) = found
    require_ours(revision, stamp)


def check(connection: psycopg.Connection[Any]) -> None:
    """``check_schema`` on a psycopg connection: two reads in its transaction.

    :raises SchemaError: as ``check_schema``.
    """
    run(check_schema(), connection)


def require_ours(revision: str, stamp: str | None) -> None:
    """Whether a database of ``revision``, whose version table says ``stamp``, is as this code makes them.

    :raises SchemaError: it is at another revision.
    :raises SchemaMismatch: it is at this one, and another build made it.
    """
    if revision != HEAD:
        raise behind(revision) if revision in REVISIONS else ahead(revision)
    if stamp != STAMP:
        raise mismatch()


def mismatch() -> SchemaMismatch:
    """The error for a database that another build of the same revision has migrated."""
    return SchemaMismatch(
        f"schema ragspine is at revision {HEAD}, as this release needs it, but another build of the package made it, so"
        " its tables and functions are others: `ragspine-pg doctor` names them. Use the package that made it, or make"
        " it anew, which deletes all that is stored: `DROP SCHEMA ragspine CASCADE`, then `ragspine-pg migrate`, as"
        " its owner, and ingest again",
        found=HEAD,
        needed=HEAD,
    )


def mismatch_at(home: str) -> SchemaMismatch:
    """The error for such a database in the folder of an embedded server."""
    return SchemaMismatch(
        f"the embedded server's folder {home} was filled by another build of this package, whose tables and functions"
        " are others: set RAGSPINE_HOME to another folder, or remove this one (all that is in it goes) and ingest"
        " again; `ragspine-pg doctor` names what differs",
        found=HEAD,
        needed=HEAD,
        home=home,
    )


def behind(found: str) -> SchemaError:
    """The error for a database that an older release has migrated."""
    return SchemaError(
        f"schema ragspine is at revision {found} and this release needs {HEAD}; run `ragspine-pg migrate` as its owner",
        found=found,
        needed=HEAD,
    )


def ahead(found: str) -> SchemaError:
    """The error for a database that a newer release has migrated."""
    return SchemaError(
        f"schema ragspine is at revision {found}, which this release does not know (it needs {HEAD}): a newer release"
        " migrated it; upgrade the package ragspine-pg (its `ragspine-pg migrate` has run already)",
        found=found,
        needed=HEAD,
    )
