"""``connect.transaction``, awaited: a transaction of ours on an AsyncConnection, whatever state it comes in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from psycopg import IsolationLevel
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from ragspine_pg.connect.transaction import (
    READ_SETTINGS,
    RESTORE_SETTINGS,
    SETTINGS,
    is_idle,
    level_for,
    translated,
)


@asynccontextmanager
async def joined(connection: psycopg.AsyncConnection[Any], read_only: bool) -> AsyncIterator[None]:
    """See ``connect.transaction.joined``."""
    opened = _begun if is_idle(connection) else _saved
    with translated():
        async with opened(connection, read_only):
            yield


@asynccontextmanager
async def _begun(connection: psycopg.AsyncConnection[Any], read_only: bool) -> AsyncIterator[None]:
    """See ``connect.transaction._begun``."""
    before = connection.autocommit, connection.isolation_level, connection.read_only, connection.deferrable
    await _set(connection, connection.autocommit and not read_only, level_for(read_only), read_only, False)
    try:
        if not read_only:
            async with connection.transaction():
                yield
        else:
            try:
                yield
            except BaseException:
                with suppress(psycopg.Error):  # a lost connection must not hide a cancellation
                    await connection.rollback()
                raise
            await connection.commit()
    finally:
        if connection.info.transaction_status is TransactionStatus.IDLE:  # else it is broken
            await _set(connection, *before)


@asynccontextmanager
async def _saved(connection: psycopg.AsyncConnection[Any], read_only: bool) -> AsyncIterator[None]:
    async with (
        connection.transaction(force_rollback=read_only),
        psycopg.AsyncCursor(connection, row_factory=tuple_row) as cursor,
    ):
        if read_only:
            # Reverts with the savepoint, as does every setting made after it.
            await cursor.execute("SET LOCAL transaction_read_only = on", prepare=False)
            yield
        else:
            await cursor.execute(READ_SETTINGS, [list(SETTINGS)], prepare=False)
            before = await cursor.fetchall()
            yield
            # What was set for the writing outlives the savepoint: the lender's transaction goes on as it was.
            columns = [list(column) for column in zip(*before, strict=True)]
            await cursor.execute(RESTORE_SETTINGS, columns, prepare=False)


async def _set(
    connection: psycopg.AsyncConnection[Any],
    autocommit: bool,
    level: IsolationLevel | None,
    read_only: bool | None,
    deferrable: bool | None,
) -> None:
    """Attributes of the client: nothing is sent."""
    if connection.autocommit != autocommit:
        await connection.set_autocommit(autocommit)
    await connection.set_isolation_level(level)
    await connection.set_read_only(read_only)
    await connection.set_deferrable(deferrable)
