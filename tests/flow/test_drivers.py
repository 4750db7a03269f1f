"""Both drivers perform the same steps, throw the same errors into the flow, and always close it."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg.errors import DeadlineExceeded, IngestError, QueryError, RagSpineError
from ragspine_pg.flow.async_driver import run_async
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Batch, Copy, Fetch, Flow, Statement, batch, copy, fetch, release, work
from tests.fixtures.database import Database

Drive = Callable[[Flow[Any]], Any]

NUMBERS = Statement("numbers", "SELECT n FROM generate_series(1, %(last)s) AS n", int)
EXACT = Statement("exact", "SELECT '{\"a\": 0.1}'::jsonb", lambda value: value)
TABLE = Statement("table", "CREATE TEMPORARY TABLE kept (n int4 PRIMARY KEY, data jsonb) ON COMMIT DROP", int)
FILL = Statement("fill", "COPY kept FROM STDIN (FORMAT binary)", int)
COUNT = Statement("count", "SELECT count(*)::int4, count(data ->> 'a')::int4 FROM kept", lambda *row: row)


@pytest.fixture(params=["blocking", "awaited", "awaited, in a thread"])
def drive(request: pytest.FixtureRequest, database: Database) -> Drive:
    def blocking(flow: Flow[Any]) -> Any:
        with psycopg.connect(database.owner_url) as connection:
            return run(flow, connection)

    def awaited(flow: Flow[Any]) -> Any:
        async def body() -> Any:
            async with await psycopg.AsyncConnection.connect(database.owner_url) as connection:
                return await run_async(flow, connection, in_thread=request.param != "awaited")

        return asyncio.run(body())

    return blocking if request.param == "blocking" else awaited


def test_every_step_is_performed(drive: Drive) -> None:
    def flow() -> Flow[Any]:
        numbers = yield from fetch(NUMBERS, last=600)
        (exact,) = yield from fetch(EXACT)
        both = yield from batch((NUMBERS, {"last": 2}), (NUMBERS, {"last": 3}))
        yield from fetch(TABLE)
        sent = yield from copy(FILL, ["int4", "jsonb"], ((n, '{"a": 1}' if n % 2 else "{}") for n in range(1000)))
        counted = yield from fetch(COUNT)
        worked = yield from work(lambda: 7)
        yield from release()
        return len(numbers), str(exact["a"]), both, sent, counted, worked

    assert drive(flow()) == (600, "0.1", [[1, 2], [1, 2, 3]], 1000, [(1000, 500)], 7)


@pytest.mark.parametrize(
    "step",
    [
        Fetch("twice", "INSERT INTO kept VALUES (1), (1)", {}),
        Batch([Fetch("twice", "INSERT INTO kept VALUES (1), (1)", {})]),
        Copy("twice", "COPY kept FROM STDIN (FORMAT binary)", ["int4", "jsonb"], [(1, "{}"), (1, "{}")]),
    ],
)
def test_errors_of_the_driver_arrive_in_the_flow_as_ours_and_can_be_mended(drive: Drive, step: Any) -> None:
    def flow() -> Flow[Any]:
        yield from fetch(TABLE)
        yield Fetch("savepoint", "SAVEPOINT mended", {})
        try:
            yield step
        except IngestError as error:
            yield Fetch("back", "ROLLBACK TO mended", {})
            (count,) = yield from fetch(COUNT)
            return error.ids["constraint"], count
        raise AssertionError("no error arrived")

    assert drive(flow()) == ("kept_pkey", (0, 0))


class Unhurried(list[Fetch]):
    """Statements of which each is sent when the server has answered the one before."""

    def __iter__(self) -> Iterator[Fetch]:
        for step in super().__iter__():
            yield step
            time.sleep(0.1)


def test_a_failing_batch_gives_its_first_error_and_logs_nothing(drive: Drive, caplog: pytest.LogCaptureFixture) -> None:
    failing = Fetch("failing", "SELECT 1 / %(by)s", {"by": 0})
    steps = [Fetch(EXACT.name, EXACT.text, {}), failing, Fetch("none", "SELECT n FROM no_such_table", {}), failing]

    def flow(fetches: list[Fetch]) -> Flow[Any]:
        yield from fetch(NUMBERS, last=1)
        yield Fetch("savepoint", "SAVEPOINT mended", {})
        with pytest.raises(RagSpineError) as caught:
            yield Batch(fetches)
        yield Fetch("back", "ROLLBACK TO mended", {})
        return caught.value.ids["sqlstate"], (yield from fetch(NUMBERS, last=2))

    with caplog.at_level(logging.DEBUG):
        assert drive(flow(Unhurried(steps))) == ("22012", [1, 2])
        assert drive(flow(steps)) == ("22012", [1, 2])
    assert [record.getMessage() for record in caplog.records if record.name.startswith("psycopg")] == []


def test_errors_of_work_arrive_in_the_flow(drive: Drive) -> None:
    def fail() -> int:
        raise QueryError("not today")

    def flow() -> Flow[str]:
        try:
            yield from work(fail)
        except QueryError as error:
            return str(error)
        return ""

    assert "not today" in drive(flow())


@pytest.mark.parametrize("error", [ValueError, RagSpineError])
def test_the_flow_is_closed_whatever_happens(drive: Drive, error: type[Exception]) -> None:
    closed = []

    def flow() -> Flow[None]:
        try:
            yield from fetch(NUMBERS, last=1)
            raise error("out of the flow")
        finally:
            closed.append(True)

    with pytest.raises(error, match="out of the flow"):
        drive(flow())
    assert closed == [True]


def test_an_error_that_is_not_ours_ends_the_flow(drive: Drive) -> None:
    closed = []

    def fail() -> None:
        raise KeyError("strange")

    def flow() -> Flow[None]:
        try:
            yield from work(fail)
        finally:
            closed.append(True)

    with pytest.raises(KeyError, match="strange"):
        drive(flow())
    assert closed == [True]


def test_a_statement_that_is_stopped_is_told_as_a_deadline(drive: Drive) -> None:
    def flow() -> Flow[None]:
        yield Fetch("limit", "SET LOCAL statement_timeout = '50ms'", {})
        yield Fetch("sleep", "SELECT pg_sleep(20)", {})

    with pytest.raises(DeadlineExceeded):
        drive(flow())


def test_a_cancelled_task_waits_for_the_flow_to_come_to_its_step_and_closes_it(database: Database) -> None:
    """A generator that runs in a thread cannot be closed, and its connection must not be given back under it."""
    events: list[str] = []
    computing = threading.Event()

    def flow() -> Flow[None]:
        try:
            yield from fetch(NUMBERS, last=1)
            computing.set()
            time.sleep(0.4)
            events.append("computed")
            yield from fetch(NUMBERS, last=2)
            events.append("went on")
        finally:
            events.append("closed")

    async def body() -> None:
        async with await psycopg.AsyncConnection.connect(database.owner_url) as connection:
            task = asyncio.create_task(run_async(flow(), connection, in_thread=True))
            await asyncio.to_thread(computing.wait)
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0.02)
            with pytest.raises(asyncio.CancelledError):
                await task
            events.append("ended")

    asyncio.run(body())
    assert events == ["computed", "closed", "ended"]


def test_a_long_copy_lets_other_tasks_run(database: Database) -> None:
    beats = 0

    def rows() -> Iterator[tuple[int, str]]:
        for n in range(60):
            time.sleep(0.002)
            yield n, "{}"

    def flow() -> Flow[int]:
        yield from fetch(TABLE)
        return (yield from copy(FILL, ["int4", "jsonb"], rows()))

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    async def body() -> None:
        async with await psycopg.AsyncConnection.connect(database.owner_url) as connection:
            beating = asyncio.create_task(beat())
            driving = asyncio.create_task(run_async(flow(), connection))
            assert await driving == 60
            beating.cancel()

    asyncio.run(body())
    assert beats > 10
