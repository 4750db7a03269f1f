"""A source around one psycopg AsyncConnection that was lent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from ragspine_pg.connect.async_transaction import joined
from ragspine_pg.connect.event_loop import OneLoop, TaskLock


class AsyncLentSource:
    """Transactions, or savepoints, on one lent connection: one at a time, other tasks wait."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection
        self._loop = OneLoop()
        self._turn = TaskLock()

    @asynccontextmanager
    async def transaction(self, read_only: bool) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """See ``AsyncConnectionSource.transaction``."""
        self._loop.check()
        async with self._turn, joined(self._connection, read_only):
            yield self._connection

    async def aclose(self) -> None:
        """Nothing: the connection is its lender's."""
