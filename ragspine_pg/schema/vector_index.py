"""Builds the HNSW index of a version's vectors, as the owner of schema ``ragspine``, beside readers and writers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from ragspine_pg.flow.translate import translate
from ragspine_pg.schema.lend import lend_outside
from ragspine_pg.statement.catalogue import query
from ragspine_pg.statement.render import quote_identifier

_FIND = query("owner_find_vector_index").text
_STRAY = query("owner_list_stray_indexes").text
_TRY_LOCK = query("owner_try_index_lock").text
_RELEASE_LOCK = query("owner_release_index_lock").text
_RAISE_MEMORY = query("owner_raise_memory").text
_RESTORE_MEMORY = query("owner_restore_memory").text

_ASK_AGAIN_SECONDS = 0.5


class VectorIndex(StrEnum):
    """What became of a library's HNSW index."""

    BUILT = "built"
    PRESENT = "present"
    NOT_NEEDED = "not_needed"


def build_vector_index(owner: Any, tenant: str, library_id: str) -> VectorIndex:
    """Build the index of the library's published version where it is to have one and has none, or a broken one.

    ``CREATE INDEX CONCURRENTLY``: nobody waits but this call, which waits for transactions that are open, and for
    whoever builds one already. Indexes of versions that are gone are dropped. ``owner``: see ``lend_outside``.

    Raises ``ConfigurationError`` for another kind of owner, ``UnavailableError`` when it cannot be reached.
    """
    with lend_outside(owner) as connection, psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
        try:
            return _build(cursor, tenant, library_id)
        except psycopg.Error as error:
            raise translate(error) from None


def _build(cursor: psycopg.Cursor[Any], tenant: str, library_id: str) -> VectorIndex:
    state, *_ = _find(cursor, tenant, library_id)
    if state is not VectorIndex.BUILT:
        with _alone(cursor, patient=False) as alone:
            if alone:
                _drop_strays(cursor)
        return state
    with _alone(cursor, patient=True):
        _drop_strays(cursor)
        # Read again: an index that is being built is as invalid as one whose build was interrupted.
        state, name, ddl, broken = _find(cursor, tenant, library_id)
        if state is VectorIndex.BUILT:
            if broken:
                _drop(cursor, name)
            with _memory(cursor):
                cursor.execute(ddl, prepare=False)
        return state


def _find(cursor: psycopg.Cursor[Any], tenant: str, library_id: str) -> tuple[VectorIndex, str, Any, bool]:
    """What is to become of the index; its name, the statement that builds it, whether an invalid one is there."""
    found = cursor.execute(_FIND, {"tenant": tenant, "library_id": library_id}, prepare=False).fetchone()
    if found is None or found[2] is None:
        return VectorIndex.NOT_NEEDED, "", None, False
    name, valid, ddl = found
    return VectorIndex.PRESENT if valid else VectorIndex.BUILT, name, ddl, valid is not None


def _drop_strays(cursor: psycopg.Cursor[Any]) -> None:
    for (stray,) in cursor.execute(_STRAY, prepare=False).fetchall():
        _drop(cursor, stray)


def _drop(cursor: psycopg.Cursor[Any], name: str) -> None:
    cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS ragspine.{quote_identifier(name)}".encode(), prepare=False)


@contextmanager
def _alone(cursor: psycopg.Cursor[Any], *, patient: bool) -> Iterator[bool]:
    """Whether nobody else builds or drops such indexes meanwhile; ``patient``: wait until that is so.

    All of them stand on one table, on which PostgreSQL has one such statement at a time, and two could deadlock.
    """
    alone = False
    try:
        while not alone:
            row = cursor.execute(_TRY_LOCK, prepare=False).fetchone()
            alone = row is not None and row[0]
            if not patient:
                break
            if not alone:
                time.sleep(_ASK_AGAIN_SECONDS)
        yield alone
    finally:
        if alone:
            with suppress(psycopg.Error):  # a session that is lost has lost its locks
                cursor.execute(_RELEASE_LOCK, prepare=False)


@contextmanager
def _memory(cursor: psycopg.Cursor[Any]) -> Iterator[None]:
    """The session with what a build needs; a session that was lent goes back as it came."""
    before = cursor.execute(_RAISE_MEMORY, prepare=False).fetchone()
    try:
        yield
    finally:
        if before is not None:
            with suppress(psycopg.Error):  # lost, and its settings with it
                cursor.execute(_RESTORE_MEMORY, {"memory": before[0], "workers": before[1]}, prepare=False)
