"""The awaited pool behind a URL: bounded, checked, and honest about why there is no connection."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import open_async_source
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import ConfigurationError, UnavailableError
from tests.connect.awaited import ask_one

PID = "SELECT pg_catalog.pg_backend_pid()"


@asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[AsyncConnectionSource]:
    source = open_async_source(url, **{"max_connections": 3, "wait_seconds": 20, **options})
    yield source
    await source.aclose()


def test_many_tasks_never_hold_more_than_the_bound(server: EmbeddedServer) -> None:
    async def body() -> None:
        async with opened(server.ingest_url) as source:
            backends: set[int] = set()
            at_once, most = 0, 0

            async def use() -> None:
                nonlocal at_once, most
                for _ in range(4):
                    async with source.transaction(read_only=True) as connection:
                        at_once += 1
                        most = max(most, at_once)
                        backends.add(await ask_one(connection, PID))
                        await asyncio.sleep(0.005)
                        at_once -= 1

            await asyncio.gather(*(use() for _ in range(15)))
            assert 1 <= most <= 3
            assert 1 <= len(backends) <= 3

    asyncio.run(body())


def test_one_user_after_another_needs_one_connection(server: EmbeddedServer) -> None:
    async def body() -> None:
        async with opened(server.ingest_url) as source:
            backends = set()
            for read_only in (True, False) * 10:
                async with source.transaction(read_only) as connection:
                    backends.add(await ask_one(connection, PID))
            assert len(backends) == 1

    asyncio.run(body())


def test_waiting_for_a_connection_is_bounded_and_says_why(server: EmbeddedServer) -> None:
    async def body() -> None:
        async with opened(server.reader_url, max_connections=1, wait_seconds=0.2) as source:

            async def take() -> None:
                async with source.transaction(True):
                    pass

            async with source.transaction(True):
                began = time.monotonic()
                with pytest.raises(UnavailableError, match="all 1 are in use"):
                    await asyncio.create_task(take())
                assert time.monotonic() - began < 5
            await take()

    asyncio.run(body())


def test_wrong_password_is_told_at_once_without_it(server: EmbeddedServer) -> None:
    right = server.reader_url
    password = right.split(":")[2].split("@")[0]

    async def body() -> None:
        async with opened(right.replace(password, "hushhush"), wait_seconds=60) as source:
            began = time.monotonic()
            with pytest.raises(UnavailableError, match="password authentication failed") as refused:
                async with source.transaction(True):
                    pass
            assert time.monotonic() - began < 10
            assert "hushhush" not in str(refused.value)

    asyncio.run(body())


def test_closed_source_stays_closed_and_one_never_used_can_be_closed(server: EmbeddedServer) -> None:
    async def body() -> None:
        async with opened(server.reader_url) as source:
            async with source.transaction(True):
                pass
            await source.aclose()
            with pytest.raises(UnavailableError, match="was closed"):
                async with source.transaction(True):
                    pass
        async with opened("postgresql://nobody@localhost:1/none"):
            pass

    asyncio.run(body())


def test_limits_that_let_nobody_in_are_refused(server: EmbeddedServer) -> None:
    for limits in ({"max_connections": 0}, {"wait_seconds": 0}):
        with pytest.raises(ConfigurationError):
            open_async_source(server.reader_url, **limits)  # type: ignore[arg-type]


def test_restart_of_the_server_is_survived(stopped_home: Path) -> None:
    server = EmbeddedServer.open(stopped_home, durable=False)

    async def body() -> None:
        async with opened(server.reader_url, max_connections=2) as source:
            async with source.transaction(True) as one, source.transaction(True) as two:
                assert one is not two
            await asyncio.to_thread(server.close)
            with await asyncio.to_thread(EmbeddedServer.open, stopped_home, durable=False):
                for _ in range(3):
                    async with source.transaction(True) as connection:
                        assert await ask_one(connection, "SELECT 1") == 1
                await source.aclose()

    asyncio.run(body())


def test_a_connection_that_the_server_ended_a_moment_ago_is_not_given_out(server: EmbeddedServer) -> None:
    """Sooner than idle connections are asked: what the server said lies in the socket."""

    def end(pid: int) -> None:
        with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
            connection.execute("SELECT pg_catalog.pg_terminate_backend(%s, 5000)", [pid])

    blocking = open_source(server.reader_url)
    with blocking.transaction(True) as connection:
        pid = connection.info.backend_pid
    end(pid)
    with blocking.transaction(True) as connection:
        assert connection.info.backend_pid != pid
        connection.execute("SELECT 1")
    blocking.close()

    async def body() -> None:
        async with opened(server.reader_url) as source:
            async with source.transaction(True) as connection:
                pid = connection.info.backend_pid
            end(pid)
            async with source.transaction(True) as connection:
                assert connection.info.backend_pid != pid
                assert await ask_one(connection, "SELECT 1") == 1

    asyncio.run(body())


def test_server_that_is_gone_is_unavailable_and_says_so(stopped_home: Path) -> None:
    server = EmbeddedServer.open(stopped_home, durable=False)

    async def body() -> None:
        async with opened(server.reader_url, wait_seconds=0.5) as source:

            async def lose() -> None:
                async with source.transaction(True) as connection:
                    await asyncio.to_thread(server.close)
                    await ask_one(connection, "SELECT 1")

            with pytest.raises(UnavailableError, match="cannot be reached"):
                await lose()
            with pytest.raises(UnavailableError, match="cannot be reached"):
                async with source.transaction(True):
                    pass

    asyncio.run(body())


def test_statement_works_without_prepared_statements(server: EmbeddedServer) -> None:
    async def body() -> None:
        async with opened(server.reader_url) as source, source.transaction(True) as connection:
            for _ in range(10):  # psycopg would prepare the fifth
                await ask_one(connection, "SELECT 1")
            assert await ask_one(connection, "SELECT count(*) FROM pg_catalog.pg_prepared_statements") == 0

    asyncio.run(body())
