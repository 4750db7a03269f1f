"""Builds the HNSW index of a version's vectors, as the owner of schema ``ragspine``, beside readers and writers."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

import psycopg
from psycopg.rows import tuple_row
from sqlalchemy import URL, Engine, NullPool, create_engine, make_url

from ragspine_pg.errors import ConfigurationError, UnavailableError
from ragspine_pg.flow.translate import translate
from ragspine_pg.statement.catalogue import query
from ragspine_pg.statement.render import quote_identifier

_FIND = query("owner_find_vector_index").text
_STRAY = query("owner_list_stray_indexes").text
# A graph that does not fit is built on disk, ten times as slowly. One process: several would take all of that memory as
# shared memory at once, which containers have little of.
_SETTINGS = """
SELECT set_config('maintenance_work_mem',
                  greatest(pg_size_bytes(current_setting('maintenance_work_mem')), 1073741824) / 1024 || 'kB', false),
       set_config('max_parallel_maintenance_workers', '0', false)
"""


class VectorIndex(StrEnum):
    """What became of a library's HNSW index."""

    BUILT = "built"
    PRESENT = "present"
    NOT_NEEDED = "not_needed"


def build_vector_index(owner: Any, tenant: str, library_id: str) -> VectorIndex:
    """Build the index of the library's published version where it is to have one and has none, or a broken one.

    ``CREATE INDEX CONCURRENTLY``: nobody waits but this call, which waits for transactions that are open. Indexes of
    versions that are gone are dropped. ``owner`` is a URL, an Engine, or an idle psycopg connection.

    Raises ``ConfigurationError`` for another kind of owner, ``UnavailableError`` when it cannot be reached.
    """
    with _outside_transaction(owner) as connection, psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
        for (stray,) in cursor.execute(_STRAY, prepare=False).fetchall():
            _drop(cursor, stray)
        found = cursor.execute(_FIND, {"tenant": tenant, "library_id": library_id}, prepare=False).fetchone()
        if found is None or found[2] is None:
            return VectorIndex.NOT_NEEDED
        name, valid, ddl = found
        if valid:
            return VectorIndex.PRESENT
        if valid is not None:  # left by a build that was interrupted
            _drop(cursor, name)
        cursor.execute(_SETTINGS, prepare=False)
        cursor.execute(ddl, prepare=False)
        return VectorIndex.BUILT


def _drop(cursor: psycopg.Cursor[Any], name: str) -> None:
    cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS ragspine.{quote_identifier(name)}".encode(), prepare=False)


@contextmanager
def _outside_transaction(owner: Any) -> Iterator[psycopg.Connection[Any]]:
    try:
        match owner:
            case str() if not owner.startswith("postgresql+"):
                with psycopg.connect(owner, autocommit=True) as connection:
                    yield connection
            case str() | URL():
                with _outside_transaction(create_engine(make_url(owner), poolclass=NullPool)) as connection:
                    yield connection
            case Engine():
                with owner.connect().execution_options(isolation_level="AUTOCOMMIT") as wrapped:
                    driver = wrapped.connection.driver_connection
                    if not isinstance(driver, psycopg.Connection):
                        raise ConfigurationError("the owner's engine is not one of psycopg 3")
                    yield driver
            case psycopg.Connection() if owner.info.transaction_status is psycopg.pq.TransactionStatus.IDLE:
                before, owner.autocommit = owner.autocommit, True
                try:
                    yield owner
                finally:
                    owner.autocommit = before
            case _:
                raise ConfigurationError(
                    "a vector index is built outside any transaction: give the owner as a URL or an Engine"
                )
    except psycopg.OperationalError as error:
        raise UnavailableError(
            f"the owner's database cannot be reached: {' '.join(str(error).split())[:500]}"
        ) from None
    except psycopg.Error as error:
        raise translate(error) from None
