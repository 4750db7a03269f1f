"""A call ends when it should, and leaves nothing behind: no statement, no transaction, no half of an ingest."""

import asyncio
import random
import threading
import time
from collections.abc import Awaitable
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, AsyncRagSpine, Cancellation, Deadline, Document, RagSpine, RetrievalContext
from ragspine_pg.config import ServiceConfig
from ragspine_pg.errors import Cancelled, DeadlineExceeded, RagSpineError
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_async_spine

ME = Access("cancel", {"user:ann"})
SLOW = ("  PERFORM ragspine.check_search_v1", "  PERFORM pg_sleep(20);\n  PERFORM ragspine.check_search_v1")
ONE = ServiceConfig(pool_size=1)


@pytest.fixture
def slow(fresh_spine: RagSpine, fresh_database: Database, plant: Plant) -> Database:
    """A database whose lexical leg sleeps for 20 seconds."""
    fresh_spine.create_library("cancel", "notes").ingest([Document("note", "return")])
    plant("lexical_leg_v1", SLOW)
    return fresh_database


def running(database: Database, state: str = "active") -> int:
    """How many backends of the database are in that state, but the one that asks."""
    with psycopg.connect(database.superuser_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend' AND state LIKE %s",
            [state],
        ).fetchone()
        assert row is not None
        return int(row[0])


async def until_running(database: Database) -> None:
    for _ in range(2000):
        if await asyncio.to_thread(running, database):
            return
        await asyncio.sleep(0.005)
    raise AssertionError("the statement never began")


async def alive(spine: AsyncRagSpine) -> None:
    """The pool's one connection is there and clean."""
    async with asyncio.timeout(10):
        async with spine._source.transaction(read_only=True) as connection:
            await connection.execute("SELECT 1")


def test_a_deadline_stops_the_statement(slow: Database) -> None:
    async def body() -> None:
        async with open_async_spine(slow, config=ONE) as spine:
            began = time.monotonic()
            with pytest.raises(DeadlineExceeded):
                await spine.search("return", access=ME, context=RetrievalContext(deadline=Deadline.after(0.3)))
            assert time.monotonic() - began < 10
            await alive(spine)
        assert running(slow) == 0

    asyncio.run(body())


def test_a_cancelled_task_stops_its_statement_and_gives_its_connection_back(slow: Database) -> None:
    async def body() -> None:
        async with open_async_spine(slow, config=ONE) as spine:
            for _ in range(3):
                task = asyncio.create_task(spine.search("return", access=ME))
                await until_running(slow)
                task.cancel()
                began = time.monotonic()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert time.monotonic() - began < 5
                assert running(slow) == running(slow, "idle in transaction%") == 0
                await alive(spine)

    asyncio.run(body())


def test_a_task_cancelled_again_and_again_still_leaves_nothing(slow: Database) -> None:
    async def body() -> None:
        async with open_async_spine(slow, config=ONE) as spine:
            task = asyncio.create_task(spine.search("return", access=ME))
            await until_running(slow)
            for _ in range(5):
                task.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await task
            await alive(spine)
        assert running(slow, "idle in transaction%") == 0

    asyncio.run(body())


def test_a_timeout_of_asyncio_ends_the_call(slow: Database) -> None:
    async def body() -> None:
        async with open_async_spine(slow, config=ONE) as spine:
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await spine.search("return", access=ME)
            assert time.monotonic() - began < 5
            await alive(spine)

    asyncio.run(body())


@pytest.mark.parametrize("origin", ["a task", "a thread"])
def test_a_cancellation_stops_the_statement(slow: Database, origin: str) -> None:
    async def body() -> None:
        async with open_async_spine(slow, config=ONE) as spine:
            cancellation = Cancellation()
            if origin == "a task":
                asyncio.get_running_loop().call_later(0.5, cancellation.cancel)
            else:
                threading.Timer(0.5, cancellation.cancel).start()
            began = time.monotonic()
            with pytest.raises(Cancelled):
                await spine.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))
            assert time.monotonic() - began < 10
            with pytest.raises(Cancelled):
                await spine.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))
            await alive(spine)

    asyncio.run(body())


@pytest.fixture
def filled(fresh_spine: RagSpine, fresh_database: Database) -> Database:
    documents = [Document(f"note-{n}", f"return note {n} " + "padding " * (n % 9)) for n in range(200)]
    fresh_spine.create_library("cancel", "notes").ingest(documents)
    return fresh_database


def test_a_cancellation_that_comes_late_stops_no_other_search(filled: Database) -> None:
    """One connection goes from search to search, while the one before is cancelled at every moment of its life."""

    async def body() -> None:
        async with open_async_spine(filled, config=ONE) as spine:
            await spine.search("return", access=ME)
            chance = random.Random(5)
            cancelled = 0
            for _ in range(150):
                cancellation = Cancellation()
                loop = asyncio.get_running_loop()
                loop.call_later(chance.uniform(0, 0.012), cancellation.cancel)
                stopped = spine.search("return", access=ME, context=RetrievalContext(cancellation=cancellation))
                others = [spine.search("return", access=ME) for _ in range(2)]
                first, *rest = await asyncio.gather(stopped, *others, return_exceptions=True)
                cancelled += isinstance(first, Cancelled)
                assert isinstance(first, Cancelled) or not isinstance(first, BaseException), first
                assert [len(result.hits) for result in rest if not isinstance(result, BaseException)] == [10, 10], rest
            assert 0 < cancelled < 150

    asyncio.run(body())


def test_searches_cancelled_at_random_never_cost_the_pool_a_connection(filled: Database) -> None:
    async def body() -> None:
        async with open_async_spine(filled, config=ServiceConfig(pool_size=2)) as spine:
            await spine.search("return", access=ME)
            chance = random.Random(11)

            async def impatient() -> bool:
                try:
                    async with asyncio.timeout(chance.uniform(0, 0.03)):
                        await spine.search("return", access=ME)
                except TimeoutError:
                    return False
                return True

            done = [await asyncio.gather(*(impatient() for _ in range(6))) for _ in range(40)]
            finished = sum(map(sum, done))
            assert 0 < finished < 240
            both: list[Awaitable[Any]] = [spine.search("return", access=ME) for _ in range(8)]
            assert all(len(result.hits) == 10 for result in await asyncio.wait_for(asyncio.gather(*both), 20))
        assert running(filled, "idle in transaction%") == 0

    asyncio.run(body())


def test_an_ingest_cancelled_anywhere_stores_nothing(fresh_database: Database) -> None:
    async def body() -> None:
        async with open_async_spine(fresh_database, config=ServiceConfig(pool_size=1)) as spine:
            library = await spine.create_library("cancel", "bulk", embedding="hashing")
            documents = [Document(f"d{n}", f"word{n} " + "return an order. " * (n % 40)) for n in range(600)]
            chance = random.Random(3)
            cut = 0
            for _ in range(12):
                task = asyncio.create_task(library.ingest(documents))
                await asyncio.sleep(chance.uniform(0, 0.6))
                task.cancel()
                try:
                    await asyncio.wait_for(asyncio.shield(asyncio.wait([task])), 15)
                    task.result()
                except asyncio.CancelledError:
                    cut += 1
                    assert (await library.stats()).documents == 0
                    assert running(fresh_database, "idle in transaction%") == 0
                else:
                    assert await spine.ingestor.drop_library("cancel", "bulk") == 600
                    library = await spine.create_library("cancel", "bulk", embedding="hashing")
            assert cut >= 3
            report = await library.ingest(documents)
            assert (report.added, (await library.stats()).documents) == (600, 600)

    asyncio.run(body())


def test_what_progress_raises_ends_the_ingest(fresh_database: Database) -> None:
    class Enough(Exception):
        pass

    async def body() -> None:
        async with open_async_spine(fresh_database) as spine:
            library = await spine.create_library("cancel", "told")

            def stop(said: object) -> None:
                raise Enough

            with pytest.raises(Enough):
                await library.ingest([Document("one", "word")], progress=stop)
            assert (await library.stats()).documents == 0
            with pytest.raises(RagSpineError):
                await library.ingest([Document("one", "word"), Document("one", "again")])
            assert (await library.stats()).documents == 0

    asyncio.run(body())
