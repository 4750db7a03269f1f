"""Opening and closing a facade: what is ours is closed, also where something on the way fails."""

import asyncio
import secrets
import time
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from ragspine_pg import AsyncRagSpine, RagSpine
from ragspine_pg.async_client import spine as async_spine
from ragspine_pg.client import spine as blocking_spine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import RagSpineError, UnavailableError
from tests.fixtures.database import Database, empty_database


@pytest.fixture
def ours(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """An embedded server whose owner may not migrate: ``closed`` counts how often it was closed."""
    name = f"unmigrated_{secrets.token_hex(6)}"
    empty_database(server, name)
    reader = server.url("reader", name)
    found = SimpleNamespace(
        name=name, reader_url=reader, ingest_url=reader, owner_url=reader, grant_key=server.grant_key, closed=0
    )

    def close() -> None:
        found.closed += 1

    found.close = close
    for module in (blocking_spine, async_spine):
        monkeypatch.setattr(module, "start_embedded", lambda config, grant_key: found)
    return found


def assert_nobody_connected(server: EmbeddedServer, name: str) -> None:
    with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        for _ in range(200):
            row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [name]).fetchone()
            if row == (0,):
                return
            time.sleep(0.05)
    raise AssertionError("a connection was left open")


def test_an_opening_that_fails_leaves_no_connection_behind(server: EmbeddedServer, ours: SimpleNamespace) -> None:
    with pytest.raises(RagSpineError) as refused:
        RagSpine.open(config=ServiceConfig())
    assert ours.closed >= 1
    assert_nobody_connected(server, ours.name)
    assert refused.tb is not None  # and with it every frame that could hold the pool


def test_an_awaited_opening_that_fails_leaves_no_connection_behind(
    server: EmbeddedServer, ours: SimpleNamespace
) -> None:
    async def body() -> None:
        with pytest.raises(RagSpineError) as refused:
            await AsyncRagSpine.open(config=ServiceConfig())
        assert ours.closed >= 1
        await asyncio.to_thread(assert_nobody_connected, server, ours.name)
        assert refused.tb is not None

    asyncio.run(body())


def _fails() -> Any:
    raise RuntimeError("planted")


async def _fails_awaited() -> Any:
    raise RuntimeError("planted")


def test_all_is_closed_though_the_first_close_fails(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    spine = RagSpine.open(database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key)
    spine.ingestor.libraries("closing")
    closed: list[str] = []
    spine._server = SimpleNamespace(close=lambda: closed.append("server"))  # type: ignore[assignment]  # what is used
    monkeypatch.setattr(spine._source, "close", _fails)
    with pytest.raises(RuntimeError, match="planted"):
        spine.close()
    assert closed == ["server"]
    with pytest.raises(UnavailableError, match="was closed"):
        spine.ingestor.libraries("closing")


def test_all_is_closed_though_the_first_aclose_fails(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        spine = await AsyncRagSpine.open(database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key)
        await spine.ingestor.libraries("closing")
        closed: list[str] = []
        spine._server = SimpleNamespace(close=lambda: closed.append("server"))  # type: ignore[assignment]  # as above
        monkeypatch.setattr(spine._source, "aclose", _fails_awaited)
        with pytest.raises(RuntimeError, match="planted"):
            await spine.aclose()
        assert closed == ["server"]
        with pytest.raises(UnavailableError, match="was closed"):
            await spine.ingestor.libraries("closing")

    asyncio.run(body())
