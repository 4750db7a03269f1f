"""Sources that give each transaction a connection of its own: our pool behind a URL, or a pool that was handed in."""

import math
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from ragspine_pg.connect.conninfo import to_conninfo
from ragspine_pg.connect.idle import PooledConnection, must_be_asked
from ragspine_pg.connect.transaction import joined, translated
from ragspine_pg.connect.turn import turn
from ragspine_pg.errors import UnavailableError
from ragspine_pg.flow.translate import unreachable

C = TypeVar("C", bound=psycopg.Connection[Any])


class PoolSource:
    """Transactions on connections of a psycopg pool that was handed in; its own limits and timeouts hold."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    @contextmanager
    def transaction(self, read_only: bool, wait_seconds: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``."""
        with (
            translated(),
            self._explained(),
            _checked_out(self._pool, wait_seconds) as connection,
            joined(connection, read_only),
        ):
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (PoolTimeout, TooManyRequests) as error:
            raise nothing_lent(error, self._pool.timeout) from None

    def close(self) -> None:
        """Nothing: the pool is its owner's."""


class UrlSource:
    """Transactions on a bounded pool of ours, opened by the first of them.

    A connection is checked before it is given out (see ``connect.idle``), so that a restart of the server is survived.
    After a fork, the child opens a pool of its own.
    """

    def __init__(self, target: str, *, max_connections: int, wait_seconds: float) -> None:
        self._conninfo = to_conninfo(target)
        self._max_connections = max_connections
        self._wait_seconds = wait_seconds
        self._closed = False
        self._lock = threading.Lock()
        self._pool: ConnectionPool[PooledConnection] | None = None
        _url_sources.add(self)

    @contextmanager
    def transaction(self, read_only: bool, wait_seconds: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``; waits at most ``wait_seconds`` for a free connection."""
        pool = self._opened(wait_seconds)
        with translated(), self._explained(wait_seconds), _checked_out(pool, wait_seconds) as connection:
            with joined(connection, read_only):
                yield connection
            connection.used_at = time.monotonic()  # it has answered just now

    def close(self) -> None:
        """Close the pool's connections; transactions that run keep theirs until they end."""
        with self._lock:
            self._closed = True
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    def _opened(self, wait_seconds: float | None) -> ConnectionPool[PooledConnection]:
        with turn(self._lock, wait_seconds, "another thread has not connected in time"):
            if self._closed:
                raise UnavailableError("this connection was closed; open it again")
            if self._pool is None:
                # A wrong password or host is told at once, and not after the pool has tried it for wait_seconds.
                self._probe(wait_seconds)
                self._pool = ConnectionPool(
                    self._conninfo,
                    connection_class=PooledConnection,
                    kwargs={"autocommit": True, "prepare_threshold": None},
                    min_size=0,
                    max_size=self._max_connections,
                    timeout=self._wait_seconds,
                    reconnect_timeout=self._wait_seconds,
                    num_workers=1,
                    check=_check,
                    name="ragspine_pg",
                    open=True,
                )
            return self._pool

    @contextmanager
    def _explained(self, wait_seconds: float | None) -> Iterator[None]:
        try:
            yield
        except PoolTimeout:
            if wait_seconds is None:  # else there is no time left to find out why
                self._probe(None)
            raise none_became_free(self._wait_seconds, self._max_connections) from None

    def _probe(self, wait_seconds: float | None) -> None:
        """Connect once, outside the pool; raises ``UnavailableError`` with the reason the driver gives."""
        # The driver waits for two seconds at least.
        limit = None if wait_seconds is None else max(2, math.ceil(wait_seconds))
        try:
            psycopg.connect(make_conninfo(self._conninfo, connect_timeout=limit), autocommit=True).close()
        except psycopg.OperationalError as error:
            raise unreachable(error) from None

    def _forked(self) -> None:
        """In a forked child: the pool's threads are not here and its sockets are the parent's; never touch it again."""
        _inherited.append(self._pool)
        self._pool = None
        self._lock = threading.Lock()


def none_became_free(wait_seconds: float, max_connections: int) -> UnavailableError:
    """The error of waiting in vain for a connection of our pool."""
    return UnavailableError(f"no connection became free within {wait_seconds:g} s: all {max_connections} are in use")


def pool_closed() -> UnavailableError:
    """The error of a pool that gives out nothing."""
    return UnavailableError("the connection pool is closed, or not open yet")


def nothing_lent(error: PoolTimeout | TooManyRequests, timeout: float) -> UnavailableError:
    """The error of a pool that was handed in and gives out no connection: its own limits hold."""
    if isinstance(error, TooManyRequests):
        return UnavailableError(
            "the pool handed in has as many callers waiting as its max_waiting allows: come again, or make it larger"
        )
    return UnavailableError(
        f"the pool handed in gave no connection within its timeout of {timeout:g} s: all are in use, or it cannot"
        " connect; give connections back, or make its max_size or timeout larger"
    )


@contextmanager
def _checked_out(pool: ConnectionPool[C], wait_seconds: float | None) -> Iterator[C]:
    try:
        with pool.connection(None if wait_seconds is None else min(wait_seconds, pool.timeout)) as connection:
            yield connection
    except PoolClosed:
        raise pool_closed() from None


def _check(connection: PooledConnection) -> None:
    if must_be_asked(connection):
        ConnectionPool.check_connection(connection)


_url_sources: "weakref.WeakSet[UrlSource]" = weakref.WeakSet()
_inherited: list[object] = []


def _after_fork() -> None:
    for source in list(_url_sources):
        source._forked()


os.register_at_fork(after_in_child=_after_fork)
