"""``connect.lazy``, awaited: a transaction that begins with the first statement that needs it."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg.pq import TransactionStatus

from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.transaction import BEGIN_READING


class AsyncLazyTransaction:
    """A lease for ``flow.async_driver.run_async``; see ``LazyTransaction``."""

    def __init__(
        self,
        source: AsyncConnectionSource,
        read_only: bool,
        opened: Callable[[psycopg.AsyncConnection[Any] | None], Awaitable[None]],
    ) -> None:
        self._source = source
        self._read_only = read_only
        self._opened = opened
        self._stack = AsyncExitStack()
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._came_idle = False

    @property
    def may_commit(self) -> bool:
        """Whether the connection came outside any transaction, to read."""
        return self._came_idle and self._read_only

    @property
    def begin(self) -> str | None:
        """What begins the transaction, where it is ours, reads, and has not begun: see ``flow.driver.Lease``."""
        held = self._connection
        idle = held is not None and held.info.transaction_status is TransactionStatus.IDLE
        return BEGIN_READING if self.may_commit and idle else None

    async def connection(self) -> psycopg.AsyncConnection[Any]:
        """The connection, inside a transaction or about to begin one."""
        if self._connection is None:
            connection = await self._stack.enter_async_context(self._source.transaction(self._read_only))
            self._came_idle = connection.info.transaction_status is TransactionStatus.IDLE
            self._connection = connection
            await self._opened(connection)
        return self._connection

    async def release(self) -> None:
        """Commit a transaction that reads and is ours, and give the connection back; else keep both."""
        if self.may_commit:
            await self._close(None, None, None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close(kind, error, trace)

    async def _close(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection = None
            try:
                await self._opened(None)
            finally:
                await self._stack.__aexit__(kind, error, trace)
