"""A transaction that begins with the first statement that needs it."""

from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg.pq import TransactionStatus

from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.transaction import BEGIN_READING
from ragspine_pg.contract.context import Deadline
from ragspine_pg.errors import UnavailableError


class LazyTransaction:
    """A lease for ``flow.driver.run``: no connection is held while a query is embedded, so that slow models do not use
    up a pool.

    ``opened`` is called with each connection that is taken, before anything else is done with it, and with None when it
    is given back. ``deadline`` bounds the wait for one that others use: ``DeadlineExceeded`` says that it passed.
    """

    def __init__(
        self,
        source: ConnectionSource,
        read_only: bool,
        opened: Callable[[psycopg.Connection[Any] | None], None],
        deadline: Deadline | None = None,
    ) -> None:
        self._source = source
        self._read_only = read_only
        self._opened = opened
        self._deadline = deadline
        self._stack = ExitStack()
        self._connection: psycopg.Connection[Any] | None = None
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

    def connection(self) -> psycopg.Connection[Any]:
        """The connection, inside a transaction or about to begin one."""
        if self._connection is None:
            connection = self._taken()
            self._came_idle = connection.info.transaction_status is TransactionStatus.IDLE
            self._connection = connection
            self._opened(connection)
        return self._connection

    def _taken(self) -> psycopg.Connection[Any]:
        if self._deadline is None:
            return self._stack.enter_context(self._source.transaction(self._read_only))
        left = self._deadline.remaining()
        try:
            return self._stack.enter_context(self._source.transaction(self._read_only, left))
        except UnavailableError:
            self._deadline.remaining()  # raises, where that is why
            raise

    def release(self) -> None:
        """Commit a transaction that reads and is ours, and give the connection back; else keep both."""
        if self.may_commit:
            self._close(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(kind, error, trace)

    def _close(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection = None
            self._opened(None)
            self._stack.__exit__(kind, error, trace)
