"""Whether the schema in the database is the one this code needs; without SQLAlchemy or Alembic."""

from typing import Any

import psycopg

from ragspine_pg.errors import SchemaError
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.revision import HEAD, REVISIONS
from ragspine_pg.statement.catalogue import query

_FIND = query("find_schema_version", bool)
_READ = query("read_schema_version", str)


def check_schema() -> Flow[None]:
    """Ends quietly if the database is at this code's revision.

    :raises SchemaError: nothing was migrated, or the schema is behind or ahead; the message says what to run.
    """
    (migrated,) = yield from fetch(_FIND)
    found = (yield from fetch(_READ)) if migrated else []
    if not found:
        raise SchemaError("this database has no schema ragspine; run `ragspine-pg migrate` as its owner", needed=HEAD)
    if found != [HEAD]:
        known = found[0] in REVISIONS
        raise behind(found[0]) if known else ahead(found[0])


def check(connection: psycopg.Connection[Any]) -> None:
    """``check_schema`` on a psycopg connection: two reads in its transaction.

    :raises SchemaError: as ``check_schema``.
    """
    run(check_schema(), connection)


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
