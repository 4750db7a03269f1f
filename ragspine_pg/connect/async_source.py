"""What every target of the awaited client becomes: a source of transactions."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import psycopg


class AsyncConnectionSource(Protocol):
    """``ConnectionSource``, awaited: the same promises and errors, for tasks of one event loop.

    Used from another loop than that of the first call it raises ``ConfigurationError``. When the task inside the block
    is cancelled, the running statement is stopped, the transaction rolled back, and the connection given back, or
    discarded where it is ours and in doubt.
    """

    def transaction(self, read_only: bool) -> AbstractAsyncContextManager[psycopg.AsyncConnection[Any]]:
        """A connection inside a transaction, for the length of an ``async with`` block.

        See ``ConnectionSource.transaction``.
        """
        ...

    async def aclose(self) -> None:
        """Close what is ours (a pool made from a URL); what was handed in stays open. Closing twice is fine."""
        ...
