"""A source around one psycopg connection that was lent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from ragspine_pg.connect.transaction import joined
from ragspine_pg.connect.turn import turn

KEPT = "another thread did not let go of the lent connection in time"


class LentSource:
    """Transactions, or savepoints, on one lent connection: one at a time, other threads wait."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._turn = threading.RLock()

    @contextmanager
    def transaction(self, read_only: bool, wait_seconds: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``."""
        with turn(self._turn, wait_seconds, KEPT), joined(self._connection, read_only):
            yield self._connection

    def close(self) -> None:
        """Nothing: the connection is its lender's."""
