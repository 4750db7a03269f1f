"""Every kind of target that is awaited gives the same transactions, and gets back what it lent as it was."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from ragspine_pg.connect import async_transaction
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import open_async_source
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import ConfigurationError, IngestError, RagSpineError
from tests.connect.awaited import (
    JOINED,
    KINDS,
    ask_one,
    database_to_write,
    engine_of,
    hand,
    look_at,
    write_words,
)


@pytest.fixture(scope="module")
def url(server: EmbeddedServer) -> str:
    """Of a database of this module's own."""
    return database_to_write(server)


@pytest.fixture(autouse=True)
def _empty(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("TRUNCATE written")


@pytest.mark.parametrize("kind", KINDS)
def test_reader_cannot_write(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            with pytest.raises(RagSpineError, match="ReadOnlySqlTransaction"):
                async with handed.source.transaction(True) as connection:
                    await write_words(connection)
            assert await handed.look("SELECT count(*) FROM written") == 0

    asyncio.run(body())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in JOINED])
def test_transactions_of_ours_have_their_isolation(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(read_only=True) as connection:
                assert await ask_one(connection, "SHOW transaction_isolation") == "repeatable read"
                assert await ask_one(connection, "SHOW transaction_read_only") == "on"
            async with handed.source.transaction(read_only=False) as connection:
                assert await ask_one(connection, "SHOW transaction_isolation") == "read committed"
                assert await ask_one(connection, "SHOW transaction_read_only") == "off"

    asyncio.run(body())


@pytest.mark.parametrize("kind", KINDS)
def test_write_is_kept_at_the_end_and_lost_on_an_error(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(read_only=False) as connection:
                await write_words(connection, "kept")
            with pytest.raises(IngestError):
                async with handed.source.transaction(read_only=False) as connection:
                    await write_words(connection, "lost", "lost")
            assert await handed.look("SELECT string_agg(word, ' ') FROM written") == "kept"

    asyncio.run(body())


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_joined_transaction_leaves_the_commit_to_its_lender(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(read_only=False) as connection:
                await write_words(connection)
            assert look_at(url, "SELECT count(*) FROM written") == (0 if kind in JOINED else 1)

    asyncio.run(body())


def test_lenders_rollback_takes_our_write_back(url: str) -> None:
    async def body() -> None:
        engine = engine_of(url)
        async with engine.connect() as connection:
            begun = await connection.begin()  # the server has not heard of it yet
            async with open_async_source(connection).transaction(read_only=False) as lent:
                await write_words(lent)
            await begun.rollback()
        await engine.dispose()

    asyncio.run(body())
    assert look_at(url, "SELECT count(*) FROM written") == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fails", [False, True])
def test_no_setting_survives_a_read(url: str, kind: str, fails: bool) -> None:
    settings = "SELECT concat_ws('|', current_setting('ragspine.grant', true), current_setting('work_mem'))"

    async def body() -> None:
        async with hand(kind, url) as handed:
            before = await handed.look(settings)
            try:
                async with handed.source.transaction(read_only=True) as connection:
                    await ask_one(connection, "SELECT set_config('ragspine.grant', 'secret', true)")
                    await ask_one(connection, "SELECT set_config('work_mem', '123kB', true)")
                    assert await ask_one(connection, "SELECT current_setting('ragspine.grant')") == "secret"
                    if fails:
                        await ask_one(connection, "SELECT 1 / 0")
            except RagSpineError:
                assert fails
            assert (await handed.look(settings)).strip("|") == before.strip("|")
            assert await handed.look("SHOW transaction_read_only") == "off"

    asyncio.run(body())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "url"])
def test_what_was_handed_in_is_never_closed(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            for read_only in (True, False):
                async with handed.source.transaction(read_only):
                    pass
            await handed.source.aclose()
            await handed.source.aclose()
            assert await handed.is_open()
            assert await handed.look("SELECT 1") == 1

    asyncio.run(body())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("read_only", [True, False])
def test_cancelled_task_stops_its_statement_and_leaves_nothing_half_done(url: str, kind: str, read_only: bool) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            backends: list[int] = []

            async def hold() -> None:
                async with handed.source.transaction(read_only) as connection:
                    backends.append(connection.info.backend_pid)
                    if not read_only:
                        await write_words(connection, "half")
                    await ask_one(connection, "SELECT 1 FROM pg_catalog.pg_sleep(30)")

            task = asyncio.create_task(hold())
            while not backends or not look_at(url, _SLEEPERS):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert look_at(url, _SLEEPERS) == 0
            # The connection is usable again, or has been replaced; the lender's transaction goes on.
            assert await handed.look("SELECT count(*) FROM written") == 0
            async with handed.source.transaction(read_only=False) as connection:
                await write_words(connection, "afterwards")
            assert await handed.look("SELECT count(*) FROM written") == 1

    asyncio.run(body())


_SLEEPERS = (
    "SELECT count(*) FROM pg_catalog.pg_stat_activity"
    " WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()"
    " AND datname = current_database()"
)


@pytest.mark.parametrize("kind", KINDS)
def test_driver_errors_arrive_as_ours_without_values(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            with pytest.raises(IngestError) as refused:
                async with handed.source.transaction(read_only=False) as connection:
                    await write_words(connection, "kanarienvogel", "kanarienvogel")
            assert refused.value.ids["constraint"] == "written_pkey"
            assert "kanarienvogel" not in str(refused.value)
            assert refused.value.__suppress_context__

    asyncio.run(body())


@pytest.mark.parametrize("kind", ["url", "pool", "engine", "idle", "alchemy idle"])
def test_use_from_a_second_event_loop_is_a_clear_error(url: str, kind: str) -> None:
    async def first() -> AsyncConnectionSource:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(True) as connection:
                assert await ask_one(connection, "SELECT 1") == 1
            return handed.source

    async def second(source: AsyncConnectionSource) -> None:
        with pytest.raises(ConfigurationError, match="another event loop"):
            async with source.transaction(True):
                pass

    asyncio.run(second(asyncio.run(first())))


def test_no_setting_survives_a_read_has_teeth(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def released(connection: psycopg.AsyncConnection[Any], read_only: bool) -> AsyncIterator[None]:
        async with connection.transaction():
            yield

    monkeypatch.setattr(async_transaction, "_saved", released)

    async def body() -> None:
        async with await psycopg.AsyncConnection.connect(url) as lent:
            await lent.execute("SELECT 1")
            async with open_async_source(lent).transaction(read_only=True) as connection:
                await ask_one(connection, "SELECT set_config('ragspine.grant', 'secret', true)")
            assert await ask_one(lent, "SELECT current_setting('ragspine.grant')") == "secret"
            await lent.rollback()

    asyncio.run(body())
