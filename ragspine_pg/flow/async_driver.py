"""The awaiting driver: performs a flow's steps on one psycopg AsyncConnection, and leaves the event loop free.

The same steps as ``flow.driver``, the same errors thrown into the flow. What is not waiting for the database runs in
threads: a ``Work`` step in the loop's default executor, and the flow's own doings between two steps (cutting documents,
hashing them) in a thread of its own where the caller says that they take time.
"""

import asyncio
import contextvars
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import psycopg
from psycopg.rows import tuple_row

from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow.cursor import EXECUTE, Rows, copying, reading, returns_rows
from ragspine_pg.flow.job import Job
from ragspine_pg.flow.steps import Batch, Copy, Fetch, Flow, Hold, Release, Step, Work
from ragspine_pg.flow.translate import translate

T = TypeVar("T")
Y = TypeVar("Y")

_COPY_SECONDS: Final = 0.005
"""How long a COPY writes rows before other tasks have their turn."""

_ROWS: Final = 250
"""How many rows of a reply are decoded before other tasks have their turn."""


class AsyncLease(Protocol):
    """``flow.driver.Lease``, awaited."""

    @property
    def may_commit(self) -> bool:
        """Whether the transaction is ours alone, so that it can be committed along with its last statements."""
        ...

    @property
    def begin(self) -> str | None:
        """What begins the transaction, to be sent along with its first statements; None where it has begun."""
        ...

    async def connection(self) -> psycopg.AsyncConnection[Any]:
        """The connection, taken now unless it is held already."""
        ...

    async def release(self) -> None:
        """Commit and give it back, where it is not lent."""
        ...


async def run_async(flow: Flow[T], lease: "AsyncLease | psycopg.AsyncConnection[Any]", *, in_thread: bool = False) -> T:
    """Drive ``flow`` to its end and return its value; the transaction is the caller's.

    ``in_thread``: the flow computes for long between its steps, and is advanced in a thread of its own, never in two at
    once. Errors are thrown into the flow as by ``flow.driver.run``. A task that is cancelled tells the server to stop
    the running statement, waits for the flow to come to its next step, and closes it; a ``Work`` that runs is left to
    end by itself.
    """
    held = _Lent(lease) if isinstance(lease, psycopg.AsyncConnection) else lease
    return await _advance(flow, partial(_perform, lease=held), _Thread() if in_thread else _Here())


async def run_job_async(job: Job[T], drive: Callable[[Flow[Any]], Awaitable[Any]]) -> T:
    """``flow.job.run_job``, awaited; the job is advanced in a thread of its own, as a flow that computes is."""
    return await _advance(job, drive, _Thread())


async def _advance(steps: Generator[Y, Any, T], perform: Callable[[Y], Awaitable[Any]], call: "_Caller") -> T:
    """Have each of the steps performed, and its reply or error handed back, until there is a value."""
    try:
        come = await call(_next(steps))
        while not isinstance(come, _End):
            try:
                reply = await perform(come)
            except psycopg.Error as error:
                come = await call(_throw(steps, translate(error)))
            except RagSpineError as error:
                come = await call(_throw(steps, error))
            else:
                come = await call(_send(steps, reply))
        value: T = come.value
        return value
    finally:
        try:
            await call(steps.close)
        finally:
            call.end()


@dataclass(frozen=True, slots=True)
class _End:
    """What a flow returned; a future cannot hold the StopIteration itself."""

    value: Any


def _next(steps: Generator[Y, Any, Any]) -> Callable[[], "Y | _End"]:
    return lambda: _ended(lambda: next(steps))


def _send(steps: Generator[Y, Any, Any], reply: Any) -> Callable[[], "Y | _End"]:
    return lambda: _ended(lambda: steps.send(reply))


def _throw(steps: Generator[Y, Any, Any], error: BaseException) -> Callable[[], "Y | _End"]:
    return lambda: _ended(lambda: steps.throw(error))


def _ended(advance: Callable[[], Y]) -> "Y | _End":
    try:
        return advance()
    except StopIteration as end:
        return _End(end.value)


class _Caller(Protocol):
    async def __call__(self, function: Callable[[], T]) -> T: ...

    def end(self) -> None: ...


class _Here:
    """Calls on the event loop."""

    async def __call__(self, function: Callable[[], T]) -> T:
        return function()

    def end(self) -> None:
        pass


class _Thread:
    """Calls in one thread, one after the other, in the context of the task that made it."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="ragspine_pg")
        self._context = contextvars.copy_context()

    async def __call__(self, function: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(self._executor, self._context.run, function)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # A generator that runs cannot be closed, and what it uses must outlive it: wait, however often cancelled.
            while not running.done():
                try:
                    await asyncio.wait([running])
                except asyncio.CancelledError:
                    continue
            if not running.cancelled():
                running.exception()  # looked at: the cancellation is what is told
            raise

    def end(self) -> None:
        self._executor.shutdown(wait=False)


class _Lent:
    """A connection inside somebody else's transaction: there is nothing to give back."""

    may_commit = False
    begin = None

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection

    async def connection(self) -> psycopg.AsyncConnection[Any]:
        return self._connection

    async def release(self) -> None:
        pass


async def _perform(step: Step, lease: AsyncLease) -> Any:
    match step:
        case Work(run=work):
            return await asyncio.to_thread(work)
        case Release():
            return await lease.release()
        case Hold():
            await lease.connection()
            return None
        case Fetch():
            return await _fetch(step, await lease.connection())
        case Batch(fetches=fetches, last=last):
            connection = await lease.connection()
            return await _exchange(fetches, connection, begin=lease.begin, commit=last and lease.may_commit)
        case Copy():
            return await _copy(step, await lease.connection())


def _cursor(connection: psycopg.AsyncConnection[Any]) -> psycopg.AsyncCursor[tuple[Any, ...]]:
    """A cursor of our own kind: the connection may be lent, with another row factory or cursor class."""
    return reading(psycopg.AsyncCursor(connection, row_factory=tuple_row))


async def _rows(cursor: psycopg.AsyncCursor[tuple[Any, ...]]) -> Rows:
    rows: Rows = []
    if returns_rows(cursor):
        while len(part := await cursor.fetchmany(_ROWS)) == _ROWS:
            rows += part
            await asyncio.sleep(0)
        rows += part
    return rows


async def _fetch(step: Fetch, connection: psycopg.AsyncConnection[Any]) -> Rows:
    async with _cursor(connection) as cursor:
        await cursor.execute(step.text, step.params, **EXECUTE)
        return await _rows(cursor)


async def _exchange(
    fetches: Sequence[Fetch], connection: psycopg.AsyncConnection[Any], *, begin: str | None, commit: bool
) -> list[Rows]:
    cursors = [_cursor(connection) for _ in fetches]
    if begin is not None:
        await connection.set_autocommit(True)  # psycopg's own BEGIN, in a pipeline, would wait for its reply
    async with _piped(connection):  # left by one synchronisation, which is the round trip
        if begin is not None:
            await psycopg.AsyncCursor(connection).execute(begin.encode(), prepare=False)
        for step, cursor in zip(fetches, cursors, strict=True):
            await cursor.execute(step.text, step.params, **EXECUTE)
        if commit:
            await psycopg.AsyncCursor(connection).execute("COMMIT", prepare=False)
    return [await _rows(cursor) for cursor in cursors]


@asynccontextmanager
async def _piped(connection: psycopg.AsyncConnection[Any]) -> AsyncIterator[None]:
    """See ``flow.driver._piped``."""
    failure: BaseException | None = None
    try:
        async with connection.pipeline():
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - raised below
                failure = error
    except psycopg.Error as error:
        failure = failure or error
    if failure is not None:
        raise failure


async def _copy(step: Copy, connection: psycopg.AsyncConnection[Any]) -> int:
    async with _cursor(connection) as cursor, copying(cursor).copy(step.text) as stream:
        stream.set_types(step.types)
        count, due = 0, time.monotonic() + _COPY_SECONDS
        for row in step.rows:
            await stream.write_row(row)  # waits only when the socket is full
            count += 1
            if time.monotonic() >= due:
                await asyncio.sleep(0)
                due = time.monotonic() + _COPY_SECONDS
    return count
