"""A source around one psycopg connection that was lent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from ragspine_pg.connect.transaction import joined


class LentSource:
    """Transactions, or savepoints, on one lent connection: one at a time, other threads wait."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._turn = threading.RLock()

    @contextmanager
    def transaction(self, read_only: bool) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``."""
        with self._turn, joined(self._connection, read_only):
            yield self._connection

    def close(self) -> None:
        """Nothing: the connection is its lender's."""
