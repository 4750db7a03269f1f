"""``connect.pooled``, awaited: our pool behind a URL, or a pool that was handed in."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from ragspine_pg.connect.async_transaction import joined
from ragspine_pg.connect.conninfo import to_conninfo
from ragspine_pg.connect.event_loop import OneLoop
from ragspine_pg.connect.idle import AsyncPooledConnection, must_be_asked
from ragspine_pg.connect.pooled import none_became_free, nothing_lent, pool_closed
from ragspine_pg.connect.transaction import translated
from ragspine_pg.errors import UnavailableError
from ragspine_pg.flow.translate import unreachable

C = TypeVar("C", bound=psycopg.AsyncConnection[Any])


class AsyncPoolSource:
    """Transactions on connections of a psycopg pool that was handed in; its own limits and timeouts hold."""

    def __init__(self, pool: AsyncConnectionPool[Any]) -> None:
        self._pool = pool
        self._loop = OneLoop()

    @asynccontextmanager
    async def transaction(self, read_only: bool) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """See ``AsyncConnectionSource.transaction``."""
        self._loop.check()
        with translated():
            async with self._explained(), _checked_out(self._pool) as connection, joined(connection, read_only):
                yield connection

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        try:
            yield
        except (PoolTimeout, TooManyRequests) as error:
            raise nothing_lent(error, self._pool.timeout) from None

    async def aclose(self) -> None:
        """Nothing: the pool is its owner's."""


class AsyncUrlSource:
    """Transactions on a bounded pool of ours, opened by the first of them, in its event loop.

    A connection is checked before it is given out (see ``connect.idle``), so that a restart of the server is survived.
    """

    def __init__(self, target: str, *, max_connections: int, wait_seconds: float) -> None:
        self._conninfo = to_conninfo(target)
        self._max_connections = max_connections
        self._wait_seconds = wait_seconds
        self._closed = False
        self._loop = OneLoop()
        self._lock = asyncio.Lock()
        self._pool: AsyncConnectionPool[AsyncPooledConnection] | None = None

    @asynccontextmanager
    async def transaction(self, read_only: bool) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """See ``AsyncConnectionSource.transaction``; waits at most ``wait_seconds`` for a free connection."""
        self._loop.check()
        pool = await self._opened()
        with translated():
            async with self._explained(), _checked_out(pool) as connection:
                async with joined(connection, read_only):
                    yield connection
                connection.used_at = time.monotonic()  # it has answered just now

    async def aclose(self) -> None:
        """Close the pool's connections; transactions that run keep theirs until they end."""
        self._loop.check()
        async with self._lock:
            self._closed = True
            if self._pool is not None:
                await self._pool.close()
                self._pool = None

    async def _opened(self) -> AsyncConnectionPool[AsyncPooledConnection]:
        async with self._lock:
            if self._closed:
                raise UnavailableError("this connection was closed; open it again")
            if self._pool is None:
                # A wrong password or host is told at once, and not after the pool has tried it for wait_seconds.
                await self._probe()
                pool = AsyncConnectionPool(
                    self._conninfo,
                    connection_class=AsyncPooledConnection,
                    kwargs={"autocommit": True, "prepare_threshold": None},
                    min_size=0,
                    max_size=self._max_connections,
                    timeout=self._wait_seconds,
                    reconnect_timeout=self._wait_seconds,
                    num_workers=1,
                    check=_check,
                    name="ragspine_pg",
                    open=False,
                )
                await pool.open()
                self._pool = pool
            return self._pool

    @asynccontextmanager
    async def _explained(self) -> AsyncIterator[None]:
        try:
            yield
        except PoolTimeout:
            await self._probe()
            raise none_became_free(self._wait_seconds, self._max_connections) from None

    async def _probe(self) -> None:
        """Connect once, outside the pool; raises ``UnavailableError`` with the reason the driver gives."""
        try:
            await (await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)).close()
        except psycopg.OperationalError as error:
            raise unreachable(error) from None


@asynccontextmanager
async def _checked_out(pool: AsyncConnectionPool[C]) -> AsyncIterator[C]:
    try:
        async with pool.connection() as connection:
            yield connection
    except PoolClosed:
        raise pool_closed() from None


async def _check(connection: AsyncPooledConnection) -> None:
    if must_be_asked(connection):
        await AsyncConnectionPool.check_connection(connection)
