"""``connect.alchemy``, awaited: sources around SQLAlchemy's AsyncEngine, AsyncConnection and AsyncSession."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_scoped_session

from ragspine_pg.connect.alchemy import check_driver, other_driver, translated_alchemy
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_transaction import joined
from ragspine_pg.connect.event_loop import OneLoop, TaskLock
from ragspine_pg.connect.transaction import translated


def source_of(target: object) -> AsyncConnectionSource | None:
    """The source around an AsyncEngine, AsyncConnection or AsyncSession (also scoped), None for anything else.

    Raises ``ConfigurationError`` if its driver is not psycopg 3.
    """
    if isinstance(target, AsyncEngine):
        return AsyncEngineSource(target)
    if isinstance(target, AsyncConnection):
        return AsyncConnectionLent(target)
    if isinstance(target, AsyncSession):
        return AsyncSessionLent(target)
    if isinstance(target, async_scoped_session):
        return AsyncSessionLent(target)
    return None


class AsyncEngineSource:
    """Transactions on connections of the engine's pool, past the engine's own transactions and events."""

    def __init__(self, engine: AsyncEngine) -> None:
        check_driver(engine.sync_engine)
        self._engine = engine
        self._loop = OneLoop()

    @asynccontextmanager
    async def transaction(self, read_only: bool) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """See ``AsyncConnectionSource.transaction``."""
        self._loop.check()
        with translated_alchemy():
            taken = await self._engine.connect()
        connection: psycopg.AsyncConnection[Any] | None = None
        try:
            connection = await _driver_connection(taken)
            if connection.info.transaction_status is TransactionStatus.INTRANS:
                # A listener of the engine's, run at connect or checkout, left a transaction open around its settings.
                with translated():
                    await connection.commit()
            async with joined(connection, read_only):
                yield connection
        finally:
            if connection is not None and connection.broken:
                await taken.invalidate()
            await taken.close()  # gives it back to the pool

    async def aclose(self) -> None:
        """Nothing: the engine is its owner's."""


class AsyncConnectionLent:
    """Transactions, or savepoints in the transaction it is in, on one lent AsyncConnection: one at a time."""

    def __init__(self, connection: AsyncConnection) -> None:
        check_driver(connection.engine.sync_engine)
        self._connection = connection
        self._loop = OneLoop()
        self._turn = TaskLock()

    @asynccontextmanager
    async def transaction(self, read_only: bool) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """See ``AsyncConnectionSource.transaction``."""
        self._loop.check()
        async with self._turn:
            connection = await _opened_down(self._connection)
            async with joined(connection, read_only):
                yield connection

    async def aclose(self) -> None:
        """Nothing: the connection is its lender's."""


class AsyncSessionLent:
    """Savepoints in a session's transaction, begun if need be: what is written is committed by the session's owner."""

    def __init__(self, session: "AsyncSession | async_scoped_session[Any]") -> None:
        with translated_alchemy():
            bind = session.get_bind()
        check_driver(bind.engine)
        self._session = session
        self._loop = OneLoop()
        self._turn = TaskLock()

    @asynccontextmanager
    async def transaction(self, read_only: bool) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """See ``AsyncConnectionSource.transaction``."""
        self._loop.check()
        async with self._turn:
            with translated_alchemy():
                lent = await self._session.connection()
            connection = await _opened_down(lent)
            async with joined(connection, read_only):
                yield connection

    async def aclose(self) -> None:
        """Nothing: the session is its owner's."""


async def _driver_connection(lent: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    with translated_alchemy():
        raw = await lent.get_raw_connection()
    connection = raw.driver_connection
    if not isinstance(connection, psycopg.AsyncConnection):
        raise other_driver()
    return connection


async def _opened_down(lent: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    connection = await _driver_connection(lent)
    idle = connection.info.transaction_status is TransactionStatus.IDLE
    if lent.in_transaction() and idle and not connection.autocommit:
        # SQLAlchemy has begun, the server not yet: without a first statement we would commit in the lender's place.
        with translated_alchemy():
            await lent.exec_driver_sql("SELECT 1")
    return connection
