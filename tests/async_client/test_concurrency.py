"""Many searches on few connections, and the event loop left free meanwhile."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, AsyncRagSpine, Document, RagSpine
from ragspine_pg.async_client import shell
from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.async_driver import run_async
from tests.async_client.heartbeat import Heartbeat
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine

ME = Access("many", {"user:ann"})

BUSY_SECONDS = 0.4
"""How long the chunker of these tests works on a document."""

GENEROUS_SECONDS = 0.25
"""What the loop may be held up on a busy machine; less than one document takes to cut."""


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        documents = [Document(f"n{n}", f"return an order of number {n}") for n in range(50)]
        spine.create_library("many", "hybrid", embedding="hashing").ingest(documents)
        yield spine


def test_a_hundred_searches_finish_on_a_pool_of_five(built: RagSpine, database: Database) -> None:
    expected = built.search("return an order", access=ME).to_json()

    async def body() -> None:
        async with open_async_spine(database, config=ServiceConfig(pool_size=5)) as spine:
            most = 0

            async def watch() -> None:
                nonlocal most
                while True:
                    most = max(most, await asyncio.to_thread(_reader_connections, database))
                    await asyncio.sleep(0.01)

            watching = asyncio.create_task(watch())
            searches = (spine.search("return an order", access=ME) for _ in range(100))
            async with asyncio.timeout(60):
                results = await asyncio.gather(*searches)
            watching.cancel()
            assert {result.to_json() for result in results} == {expected}
            assert 1 <= most <= 6, "five of the pool, and the first one, which only tries the address"

    asyncio.run(body())


def _reader_connections(database: Database) -> int:
    with psycopg.connect(database.superuser_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'reader'"
        ).fetchone()
        assert row is not None
        return int(row[0])


class _SlowChunker:
    """Cuts as ``default`` does, and computes for a while before."""

    def __init__(self) -> None:
        self._base = make_chunker("default")
        self.threads: set[int] = set()

    @property
    def name(self) -> str:
        return self._base.name

    @property
    def fingerprint(self) -> str:
        return self._base.fingerprint

    @property
    def target_length(self) -> int:
        return self._base.target_length

    def chunk(self, document: Document) -> list[Chunk]:
        self.threads.add(threading.get_ident())
        until = time.perf_counter() + BUSY_SECONDS
        while time.perf_counter() < until:
            sum(range(1000))
        return self._base.chunk(document)


async def _ingest_slowly(spine: AsyncRagSpine, library_id: str) -> tuple[Heartbeat, _SlowChunker, set[int]]:
    library = await spine.create_library("many", library_id)
    chunker = _SlowChunker()
    told: set[int] = set()

    def progress(said: Progress) -> None:
        told.add(threading.get_ident())

    async with Heartbeat() as heartbeat:
        documents = (Document(f"d{n}", f"word {n}") for n in range(3))
        report = await library.ingest(documents, chunker=chunker, progress=progress)
    assert report.added == 3
    return heartbeat, chunker, told


def test_an_ingest_that_computes_leaves_the_loop_free(database: Database) -> None:
    async def body() -> None:
        async with open_async_spine(database) as spine:
            heartbeat, chunker, told = await _ingest_slowly(spine, "free")
            assert heartbeat.beats > 100
            assert heartbeat.longest < GENEROUS_SECONDS
            assert threading.get_ident() not in chunker.threads
            assert told == {threading.get_ident()}, "progress is told on the loop"

    asyncio.run(body())


def test_an_ingest_that_computes_leaves_the_loop_free_has_teeth(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def on_the_loop(flow: Any, lease: Any, *, in_thread: bool = False) -> Any:
        return await run_async(flow, lease)

    monkeypatch.setattr(shell, "run_async", on_the_loop)
    monkeypatch.setattr("ragspine_pg.async_client.ingestor.on_loop", lambda progress: progress)

    async def body() -> None:
        async with open_async_spine(database) as spine:
            heartbeat, chunker, _ = await _ingest_slowly(spine, "held")
            assert heartbeat.longest > GENEROUS_SECONDS
            assert threading.get_ident() in chunker.threads

    asyncio.run(body())


def test_a_model_that_takes_its_time_leaves_the_loop_free(database: Database, built: RagSpine) -> None:
    async def body() -> None:
        async with open_async_spine(database, config=ServiceConfig(pool_size=1)) as spine:
            await spine.search("return", access=ME)
            (model,) = spine._models.known._of_profile.values()
            embed = model.embed

            def slow(*arguments: Any, **options: Any) -> Any:
                time.sleep(0.5)
                return embed(*arguments, **options)

            model.embed = slow  # type: ignore[method-assign]
            async with Heartbeat() as heartbeat:
                began = time.perf_counter()
                # One connection is enough for all of them: none is held while a query is embedded.
                await asyncio.gather(*(spine.search(f"return {n}", access=ME) for n in range(4)))
                assert 0.5 <= time.perf_counter() - began < 1.9
            assert heartbeat.longest < GENEROUS_SECONDS

    asyncio.run(body())


def test_a_model_that_is_long_in_loading_leaves_the_loop_free(database: Database, built: RagSpine) -> None:
    async def body() -> None:
        async with open_async_spine(database, config=ServiceConfig(pool_size=1)) as spine:
            await spine.search("return", access=ME)
            known = spine._models.known
            find = known.find

            def slow(profile: Any, deadline: Any = None) -> Any:
                time.sleep(0.5)
                return find(profile, deadline)

            known.find = slow  # type: ignore[method-assign]
            async with Heartbeat() as heartbeat:
                await spine.search("return an order", access=ME)
            assert heartbeat.longest < GENEROUS_SECONDS

    asyncio.run(body())


def test_searches_and_ingests_run_side_by_side(database: Database) -> None:
    async def body() -> None:
        async with open_async_spine(database) as spine:
            libraries = [await spine.create_library("many", f"side-{n}") for n in range(4)]
            ingests = [library.ingest([Document(f"d{n}", "side by side") for n in range(30)]) for library in libraries]
            searches = [spine.search("side", access=ME) for _ in range(20)]
            async with asyncio.timeout(60):
                reports, _ = await asyncio.gather(asyncio.gather(*ingests), asyncio.gather(*searches))
            assert [report.added for report in reports] == [30] * 4

    asyncio.run(body())


def test_one_store_in_two_event_loops_is_a_clear_error(database: Database, built: RagSpine) -> None:
    async def first() -> AsyncRagSpine:
        async with open_async_spine(database) as spine:
            await spine.search("return", access=ME)
            return spine

    async def second(spine: AsyncRagSpine) -> None:
        with pytest.raises(ConfigurationError, match="open one for each loop"):
            await spine.search("return", access=ME)
        with pytest.raises(ConfigurationError, match="open one for each loop"):
            await spine.aclose()

    asyncio.run(second(asyncio.run(first())))
