"""A warm search costs two round trips, in every mode: the legs in one, the passages and the COMMIT in the other."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from ragspine_pg import Access, AsyncRagSpine, Document, RagSpine
from ragspine_pg.connect import async_pooled, idle, pooled
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import open_spine
from tests.fixtures.wire import CountingProxy

pytestmark = not_behind

ME = Access("wire", {"user:ann"})
MODES = ["economy", "vector", "hybrid", "auto"]


@pytest.fixture(scope="module")
def wire(database: Database) -> Iterator[CountingProxy]:
    with open_spine(database) as spine:
        documents = [Document(f"n{n}", f"return an order of number {n}") for n in range(20)]
        spine.create_library("wire", "notes", embedding="hashing").ingest(documents)
    with CountingProxy(database.reader_url) as proxy:
        yield proxy


@contextmanager
def counted(wire: CountingProxy, trips: list[int]) -> Iterator[None]:
    before = wire.round_trips
    yield
    trips.append(wire.round_trips - before)


def blocking_trips(wire: CountingProxy, database: Database, **options: Any) -> list[int]:
    trips: list[int] = []
    with RagSpine.open(wire.url, grant_key=database.grant_key) as spine:
        for _ in range(4):
            with counted(wire, trips):
                assert len(spine.search("return an order", access=ME, k=5, **options).hits) == 5
    return trips


def awaited_trips(wire: CountingProxy, database: Database, **options: Any) -> list[int]:
    async def body() -> list[int]:
        trips: list[int] = []
        async with await AsyncRagSpine.open(wire.url, grant_key=database.grant_key) as spine:
            for _ in range(4):
                with counted(wire, trips):
                    assert len((await spine.search("return an order", access=ME, k=5, **options)).hits) == 5
        return trips

    return asyncio.run(body())


@pytest.mark.parametrize("mode", MODES)
def test_a_warm_search_is_two_round_trips(wire: CountingProxy, database: Database, mode: str) -> None:
    assert blocking_trips(wire, database, mode=mode)[1:] == [2, 2, 2]


@pytest.mark.parametrize("mode", MODES)
def test_a_warm_awaited_search_is_two_round_trips(wire: CountingProxy, database: Database, mode: str) -> None:
    assert awaited_trips(wire, database, mode=mode)[1:] == [2, 2, 2]


def test_a_connection_that_lay_idle_is_asked_first(
    wire: CountingProxy, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    trips: list[int] = []
    with RagSpine.open(wire.url, grant_key=database.grant_key) as spine:
        spine.search("return", access=ME)
        monkeypatch.setattr(idle, "TRUSTED_SECONDS", 0.05)
        time.sleep(0.1)
        with counted(wire, trips):
            spine.search("return", access=ME)
    assert trips == [3]


def test_a_warm_search_is_two_round_trips_has_teeth(
    wire: CountingProxy, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooled, "_check", ConnectionPool.check_connection)
    monkeypatch.setattr(async_pooled, "_check", AsyncConnectionPool.check_connection)
    assert blocking_trips(wire, database)[1:] == [3, 3, 3]
    assert awaited_trips(wire, database)[1:] == [3, 3, 3]
