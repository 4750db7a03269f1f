"""What was handed in to the awaited client keeps its own ways; what cannot be is refused and told why."""

import asyncio
import itertools
from typing import Any

import psycopg
import pytest
import sqlalchemy
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_scoped_session, async_sessionmaker
from sqlalchemy.orm import Session

from ragspine_pg.connect.async_target import open_async_source
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import ConfigurationError, RagSpineError, UnavailableError
from tests.connect.awaited import (
    ask_one,
    database_to_write,
    engine_of,
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


@pytest.mark.parametrize("autocommit", [False, True])
def test_attributes_of_a_lent_connection_come_back(url: str, autocommit: bool) -> None:
    async def body() -> None:
        connecting = psycopg.AsyncConnection.connect(
            url, autocommit=autocommit, row_factory=dict_row, prepare_threshold=1
        )
        async with await connecting as lent:
            await lent.set_isolation_level(psycopg.IsolationLevel.SERIALIZABLE)
            await lent.set_read_only(True)
            await lent.set_deferrable(True)
            cursor_factory = lent.cursor_factory
            source = open_async_source(lent)
            async with source.transaction(read_only=False) as connection:
                await write_words(connection)
            with pytest.raises(RagSpineError):
                async with source.transaction(read_only=True) as connection:
                    await ask_one(connection, "SELECT 1 / 0")
            assert lent.autocommit is autocommit
            assert lent.isolation_level is psycopg.IsolationLevel.SERIALIZABLE
            assert (lent.read_only, lent.deferrable, lent.prepare_threshold) == (True, True, 1)
            assert (lent.row_factory, lent.cursor_factory) == (dict_row, cursor_factory)

    asyncio.run(body())


def test_transactions_of_one_lent_connection_nest_in_a_task_and_take_turns_between_tasks(url: str) -> None:
    async def body() -> None:
        async with await psycopg.AsyncConnection.connect(url) as lent:
            source = open_async_source(lent)
            inside = 0

            async def use(number: int) -> None:
                nonlocal inside
                async with source.transaction(read_only=False) as outer:
                    inside += 1
                    assert inside == 1
                    await write_words(outer, f"outer {number}")
                    async with source.transaction(read_only=True) as inner:
                        assert await ask_one(inner, "SELECT count(*) FROM written") == number + 1
                    await write_words(outer, f"afterwards {number}")
                    await psycopg.AsyncCursor(outer).execute(f"DELETE FROM written WHERE word = 'afterwards {number}'")
                    inside -= 1

            await asyncio.gather(*(use(number) for number in range(5)))

    asyncio.run(body())
    assert look_at(url, "SELECT count(*) FROM written") == 5


def test_lent_connection_in_a_failed_transaction_is_refused(url: str) -> None:
    async def body() -> None:
        async with await psycopg.AsyncConnection.connect(url) as lent:
            with pytest.raises(psycopg.errors.DivisionByZero):
                await lent.execute("SELECT 1 / 0")
            with pytest.raises(ConfigurationError, match="failed transaction"):
                async with open_async_source(lent).transaction(True):
                    pass
            await lent.rollback()

    asyncio.run(body())


def test_lent_connection_in_pipeline_mode_is_refused_and_goes_on(url: str) -> None:
    async def body(autocommit: bool, first: bool, read_only: bool) -> None:
        async with await psycopg.AsyncConnection.connect(url, autocommit=autocommit) as lent:
            source = open_async_source(lent)
            async with lent.pipeline():
                if first:
                    await lent.execute("SELECT 1")
                with pytest.raises(ConfigurationError, match="pipeline mode"):
                    async with source.transaction(read_only):
                        pass
                assert await (await lent.execute("SELECT 2")).fetchone() == (2,)
            async with source.transaction(read_only) as connection:
                assert await ask_one(connection, "SELECT 3") == 3

    for case in itertools.product((False, True), repeat=3):
        asyncio.run(body(*case))


def test_exhausted_lent_pool_says_whose_limits_those_are(url: str) -> None:
    async def use(source: Any) -> None:
        async with source.transaction(True) as connection:
            assert await ask_one(connection, "SELECT 1") == 1

    async def body() -> None:
        async with AsyncConnectionPool(url, min_size=0, max_size=1, timeout=0.2, max_waiting=1, open=False) as pool:
            source = open_async_source(pool)
            async with pool.connection():
                waits = asyncio.create_task(use(source))
                await asyncio.sleep(0)
                with pytest.raises(UnavailableError, match="as its max_waiting allows"):
                    await use(source)
                with pytest.raises(UnavailableError, match=r"pool handed in .* timeout of 0\.2 s"):
                    await waits
            await use(source)

    asyncio.run(body())


def test_closed_lent_connection_and_pool_are_unavailable(url: str) -> None:
    async def body() -> None:
        lent = await psycopg.AsyncConnection.connect(url)
        await lent.close()
        with pytest.raises(UnavailableError, match="closed or broken"):
            async with open_async_source(lent).transaction(True):
                pass
        pool = AsyncConnectionPool(url, min_size=0, max_size=1, open=False)
        with pytest.raises(UnavailableError, match="closed, or not open yet"):
            async with open_async_source(pool).transaction(True):
                pass

    asyncio.run(body())


def test_setting_made_by_an_engines_listener_costs_no_write(url: str) -> None:
    async def body() -> None:
        engine = engine_of(url)

        @sqlalchemy.event.listens_for(engine.sync_engine, "connect")
        def _set(connection: Any, record: object) -> None:
            connection.cursor().execute("SET work_mem = '321kB'")  # leaves a transaction open

        async with open_async_source(engine).transaction(read_only=False) as connection:
            assert await ask_one(connection, "SHOW work_mem") == "321kB"
            assert await ask_one(connection, "SHOW transaction_isolation") == "read committed"
            await write_words(connection)
        await engine.dispose()

    asyncio.run(body())
    assert look_at(url, "SELECT count(*) FROM written") == 1


def test_scoped_session_is_a_session(url: str) -> None:
    async def body() -> None:
        engine = engine_of(url)
        sessions = async_scoped_session(async_sessionmaker(engine), scopefunc=asyncio.current_task)
        async with open_async_source(sessions).transaction(read_only=False) as connection:
            await write_words(connection)
        await sessions.commit()
        await sessions.remove()
        await engine.dispose()

    asyncio.run(body())
    assert look_at(url, "SELECT count(*) FROM written") == 1


def test_another_driver_is_refused_with_the_right_url() -> None:
    class Pretended:
        """What create_async_engine gives for asyncpg, which is not installed: no more than is looked at."""

        sync_engine = sqlalchemy.create_engine("sqlite://")

    engine = AsyncEngine.__new__(AsyncEngine)
    engine.sync_engine = Pretended.sync_engine
    with pytest.raises(ConfigurationError, match=r"create it with postgresql\+psycopg://"):
        open_async_source(engine)
    Pretended.sync_engine.dispose()


def test_blocking_kinds_are_refused_and_say_what_to_use(url: str) -> None:
    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection, psycopg.connect(url) as driver, Session(engine) as session:
        pool = ConnectionPool(url, min_size=0, max_size=1, open=False)
        blocking: list[Any] = [engine, connection, session, driver, pool]
        for target in blocking:
            with pytest.raises(ConfigurationError, match=r"would hold up the event loop.*AsyncEngine.*RagSpine"):
                open_async_source(target)
    engine.dispose()
    nothing: Any = 7
    with pytest.raises(ConfigurationError, match=r"builtins.int is no database target"):
        open_async_source(nothing)


def test_awaited_kinds_are_refused_by_the_blocking_client(url: str) -> None:
    async def body() -> None:
        engine = engine_of(url)
        async with engine.connect() as connection, AsyncSession(engine) as session:
            awaited: list[Any] = [engine, connection, session]
            for target in awaited:
                with pytest.raises(ConfigurationError, match="use AsyncRagSpine"):
                    open_source(target)
        await engine.dispose()

    asyncio.run(body())
