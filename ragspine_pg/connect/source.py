"""What every target becomes: a source of transactions."""

from contextlib import AbstractContextManager
from typing import Any, Protocol

import psycopg


class ConnectionSource(Protocol):
    """Gives out one psycopg connection a transaction; called by the client's shells, tested for every kind of target.

    What was handed in is never closed and keeps its own settings. Statements are run with cursors of our own kind and
    ``prepare=False`` (see ``flow.driver``), so that a PgBouncer in transaction mode can stand between. To stop a
    running statement, call ``cancel_safe()`` of the connection given out, from any other thread.
    """

    def transaction(
        self, read_only: bool, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection[Any]]:
        """A connection inside a transaction, for the length of a ``with`` block.

        Ours to begin: READ ONLY in one snapshot (REPEATABLE READ) or READ WRITE in READ COMMITTED, committed at the
        end and rolled back on an error. On a lent connection that is inside a transaction already: a savepoint, always
        rolled back after reading, so that no setting survives; released after writing, for the lender to commit. A
        joined transaction keeps its own isolation: in READ COMMITTED each statement has a snapshot of its own.

        ``wait_seconds``: how long to wait at most for a connection that others use, where that is less than the source
        itself would wait. An Engine's pool has a limit of its own, and keeps it.

        Raises ``UnavailableError`` (no connection, or it was lost), ``ConfigurationError`` (a lent connection in a
        failed transaction, or busy); errors of the driver inside the block arrive translated.
        """
        ...

    def close(self) -> None:
        """Close what is ours (a pool made from a URL); what was handed in stays open. Closing twice is fine."""
        ...
