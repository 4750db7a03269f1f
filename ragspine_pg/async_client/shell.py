"""What every awaited shell does: a transaction, the schema's check once, and the driver."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import psycopg

from ragspine_pg.async_client.stop import Stop
from ragspine_pg.client.shell import cancelled_in_vain
from ragspine_pg.connect.async_lazy import AsyncLazyTransaction
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.errors import DeadlineExceeded
from ragspine_pg.flow.async_driver import run_async, run_job_async
from ragspine_pg.flow.job import Job
from ragspine_pg.flow.steps import Flow
from ragspine_pg.schema.check import check_schema

T = TypeVar("T")

_GRACE_SECONDS = 0.2


@asynccontextmanager
async def within(context: RetrievalContext | None) -> AsyncIterator[None]:
    """End what waits when the deadline passes: for a connection, a thread, a server that fell silent.

    A little later than the server is told to end a statement, so that it is the one to do it where it can.
    """
    if context is None or context.deadline is None:
        yield
        return
    try:
        async with asyncio.timeout(context.deadline.remaining() + _GRACE_SECONDS) as scope:
            yield
    except TimeoutError:
        if not scope.expired():
            raise
        raise DeadlineExceeded("the deadline passed") from None


class AsyncShell:
    """A source of transactions, and the flows driven on it. To be shared by the tasks of one event loop."""

    def __init__(self, source: AsyncConnectionSource) -> None:
        self._source = source
        self._checked = False

    async def _drive(self, flow: Flow[T], *, read_only: bool, context: RetrievalContext | None = None) -> T:
        """Run ``flow`` in a transaction of its own; ``context`` can cancel the running statement from anywhere.

        What writes cuts, hashes and embeds: such a flow is advanced in a thread. Raises ``SchemaError`` when the
        database's schema is not this code's.
        """
        stop = Stop(context)

        async def opened(connection: psycopg.AsyncConnection[Any] | None) -> None:
            await stop.watch(connection)
            if connection is not None and not self._checked:
                await run_async(check_schema(), connection)
                self._checked = True  # once a shell: a schema that moves while we run is an operator's doing

        with cancelled_in_vain(context):
            async with within(context), AsyncLazyTransaction(self._source, read_only, opened) as lease:
                return await run_async(flow, lease, in_thread=not read_only)

    async def _drive_job(self, job: Job[T]) -> T:
        """Run a job that writes, each of its flows in a transaction of its own."""
        return await run_job_async(job, partial(self._drive, read_only=False))

    async def check_schema(self) -> None:
        """See ``Shell.check_schema``."""
        async with self._source.transaction(read_only=True) as connection:
            await run_async(check_schema(), connection)

    async def aclose(self) -> None:
        """Close what is ours; a connection, pool or engine that was handed in stays open."""
        await self._source.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
