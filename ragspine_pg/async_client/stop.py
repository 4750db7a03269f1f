"""Carries a cancellation, from whatever thread it comes, to the statement that runs, and never to a later one."""

import asyncio
from contextlib import suppress
from typing import Any, Final

import psycopg

from ragspine_pg.contract.context import RetrievalContext

_CANCEL_SECONDS: Final = 5.0


class Stop:
    """Between a call's ``Cancellation`` and the connection that the call holds at the moment."""

    def __init__(self, context: RetrievalContext | None) -> None:
        self._cancellation = None if context is None else context.cancellation
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._sending: asyncio.Task[None] | None = None

    async def watch(self, connection: psycopg.AsyncConnection[Any] | None) -> None:
        """From now on stop what runs on ``connection``; with None nothing, once a stop under way has arrived."""
        if self._cancellation is None:
            return
        self._connection = connection
        if connection is not None:
            loop = asyncio.get_running_loop()

            def stop() -> None:
                loop.call_soon_threadsafe(self._send)

            self._cancellation.bind(stop)
            return
        self._cancellation.bind(None)
        if self._sending is not None:
            # Whoever is given the connection next must not be stopped in our place.
            await asyncio.wait([self._sending])
            self._sending = None

    def _send(self) -> None:
        if self._connection is not None and self._sending is None:
            self._sending = asyncio.create_task(_cancel(self._connection))


async def _cancel(connection: psycopg.AsyncConnection[Any]) -> None:
    with suppress(psycopg.Error):  # the call ends by itself, only later
        await connection.cancel_safe(timeout=_CANCEL_SECONDS)
