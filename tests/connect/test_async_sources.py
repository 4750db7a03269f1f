"""Every kind of target that is awaited gives the same transactions, and gets back what it lent as it was."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
import sqlalchemy
from psycopg.rows import dict_row, tuple_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_scoped_session,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import Session

from ragspine_pg.connect import async_transaction
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import open_async_source
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import ConfigurationError, IngestError, RagSpineError, UnavailableError
from tests.fixtures.database import empty_database

KINDS = ["url", "engine", "pool", "idle", "idle autocommit", "joined", "alchemy idle", "alchemy joined", "session"]
JOINED = ["joined", "alchemy joined", "session"]
HANDED_IN = [kind for kind in KINDS if kind != "url"]


@dataclass
class Handed:
    """A source, how its lender looks at the database through what it lent, and whether that is still open."""

    source: AsyncConnectionSource
    look: Callable[[str], Awaitable[Any]]
    is_open: Callable[[], Awaitable[bool]]


@pytest.fixture(scope="module")
def url(server: EmbeddedServer) -> str:
    """The owner's URL of a database of this module's own, with a table to write to."""
    url = empty_database(server, f"async_sources_{secrets.token_hex(6)}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE written (word text PRIMARY KEY)")
    return url


@pytest.fixture(autouse=True)
def _empty(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("TRUNCATE written")


def _engine(url: str) -> AsyncEngine:
    return create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))


@asynccontextmanager
async def hand(kind: str, url: str) -> AsyncIterator[Handed]:
    async def look(query: str) -> Any:
        return _look(url, query)

    async def always() -> bool:
        return True

    async with AsyncExitStack() as stack:
        if kind == "url":
            source = open_async_source(url)
            stack.push_async_callback(source.aclose)
            yield Handed(source, look, always)
        elif kind == "pool":
            pool = await stack.enter_async_context(AsyncConnectionPool(url, min_size=0, max_size=2, open=False))

            async def pool_open() -> bool:
                return not pool.closed

            yield Handed(open_async_source(pool), look, pool_open)
        elif kind in ("idle", "idle autocommit", "joined"):
            connecting = psycopg.AsyncConnection.connect(
                url, row_factory=dict_row, autocommit=kind == "idle autocommit"
            )
            lent = await stack.enter_async_context(await connecting)
            if kind == "joined":
                await lent.execute("SELECT 1")

            async def lent_open() -> bool:
                return not lent.closed

            yield Handed(open_async_source(lent), lambda query: _only(lent, query), lent_open)
        else:
            engine = _engine(url)
            stack.push_async_callback(engine.dispose)
            if kind == "engine":

                async def answers() -> bool:
                    async with engine.connect() as connection:
                        return bool((await connection.exec_driver_sql("SELECT 1")).scalar() == 1)

                yield Handed(open_async_source(engine), look, answers)
            elif kind == "session":
                session = await stack.enter_async_context(AsyncSession(engine))

                async def ask_session(query: str) -> Any:
                    return (await session.execute(sqlalchemy.text(query))).scalar()

                async def active() -> bool:
                    return session.is_active

                yield Handed(open_async_source(session), ask_session, active)
            else:
                connection = await stack.enter_async_context(engine.connect())
                if kind == "alchemy joined":
                    _ = await connection.begin()

                async def ask(query: str) -> Any:
                    return (await connection.exec_driver_sql(query)).scalar()

                async def connection_open() -> bool:
                    return not connection.closed

                yield Handed(open_async_source(connection), ask, connection_open)


def _look(url: str, query: str) -> Any:
    with psycopg.connect(url) as connection:
        row = connection.execute(query.encode()).fetchone()
        return None if row is None else row[0]


async def _only(connection: psycopg.AsyncConnection[Any], query: str) -> Any:
    cursor = psycopg.AsyncCursor(connection, row_factory=tuple_row)
    await cursor.execute(query.encode())
    row = await cursor.fetchone()
    return None if row is None else row[0]


async def _write(connection: psycopg.AsyncConnection[Any], *words: str) -> None:
    for word in words or ("w",):
        await psycopg.AsyncCursor(connection).execute("INSERT INTO written VALUES (%s)", [word])


@pytest.mark.parametrize("kind", KINDS)
def test_reader_cannot_write(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            with pytest.raises(RagSpineError, match="ReadOnlySqlTransaction"):
                async with handed.source.transaction(True) as connection:
                    await _write(connection)
            assert await handed.look("SELECT count(*) FROM written") == 0

    asyncio.run(body())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in JOINED])
def test_transactions_of_ours_have_their_isolation(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(read_only=True) as connection:
                assert await _only(connection, "SHOW transaction_isolation") == "repeatable read"
                assert await _only(connection, "SHOW transaction_read_only") == "on"
            async with handed.source.transaction(read_only=False) as connection:
                assert await _only(connection, "SHOW transaction_isolation") == "read committed"
                assert await _only(connection, "SHOW transaction_read_only") == "off"

    asyncio.run(body())


@pytest.mark.parametrize("kind", KINDS)
def test_write_is_kept_at_the_end_and_lost_on_an_error(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(read_only=False) as connection:
                await _write(connection, "kept")
            with pytest.raises(IngestError):
                async with handed.source.transaction(read_only=False) as connection:
                    await _write(connection, "lost", "lost")
            assert await handed.look("SELECT string_agg(word, ' ') FROM written") == "kept"

    asyncio.run(body())


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_joined_transaction_leaves_the_commit_to_its_lender(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(read_only=False) as connection:
                await _write(connection)
            assert _look(url, "SELECT count(*) FROM written") == (0 if kind in JOINED else 1)

    asyncio.run(body())


def test_lenders_rollback_takes_our_write_back(url: str) -> None:
    async def body() -> None:
        engine = _engine(url)
        async with engine.connect() as connection:
            begun = await connection.begin()  # the server has not heard of it yet
            async with open_async_source(connection).transaction(read_only=False) as lent:
                await _write(lent)
            await begun.rollback()
        await engine.dispose()

    asyncio.run(body())
    assert _look(url, "SELECT count(*) FROM written") == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fails", [False, True])
def test_no_setting_survives_a_read(url: str, kind: str, fails: bool) -> None:
    settings = "SELECT concat_ws('|', current_setting('ragspine.grant', true), current_setting('work_mem'))"

    async def body() -> None:
        async with hand(kind, url) as handed:
            before = await handed.look(settings)
            try:
                async with handed.source.transaction(read_only=True) as connection:
                    await _only(connection, "SELECT set_config('ragspine.grant', 'secret', true)")
                    await _only(connection, "SELECT set_config('work_mem', '123kB', true)")
                    assert await _only(connection, "SELECT current_setting('ragspine.grant')") == "secret"
                    if fails:
                        await _only(connection, "SELECT 1 / 0")
            except RagSpineError:
                assert fails
            assert (await handed.look(settings)).strip("|") == before.strip("|")
            assert await handed.look("SHOW transaction_read_only") == "off"

    asyncio.run(body())


@pytest.mark.parametrize("kind", HANDED_IN)
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
                        await _write(connection, "half")
                    await _only(connection, "SELECT 1 FROM pg_catalog.pg_sleep(30)")

            task = asyncio.create_task(hold())
            while not backends or not _look(url, _SLEEPERS):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert _look(url, _SLEEPERS) == 0
            # The connection is usable again, or has been replaced; the lender's transaction goes on.
            assert await handed.look("SELECT count(*) FROM written") == 0
            async with handed.source.transaction(read_only=False) as connection:
                await _write(connection, "afterwards")
            assert await handed.look("SELECT count(*) FROM written") == 1

    asyncio.run(body())


_SLEEPERS = (
    "SELECT count(*) FROM pg_catalog.pg_stat_activity"
    " WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()"
    " AND datname = current_database()"
)


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
                await _write(connection)
            with pytest.raises(RagSpineError):
                async with source.transaction(read_only=True) as connection:
                    await _only(connection, "SELECT 1 / 0")
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
                    await _write(outer, f"outer {number}")
                    async with source.transaction(read_only=True) as inner:
                        assert await _only(inner, "SELECT count(*) FROM written") == number + 1
                    await _write(outer, f"afterwards {number}")
                    await psycopg.AsyncCursor(outer).execute(f"DELETE FROM written WHERE word = 'afterwards {number}'")
                    inside -= 1

            await asyncio.gather(*(use(number) for number in range(5)))

    asyncio.run(body())
    assert _look(url, "SELECT count(*) FROM written") == 5


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
        engine = _engine(url)

        @sqlalchemy.event.listens_for(engine.sync_engine, "connect")
        def _set(connection: Any, record: object) -> None:
            connection.cursor().execute("SET work_mem = '321kB'")  # leaves a transaction open

        async with open_async_source(engine).transaction(read_only=False) as connection:
            assert await _only(connection, "SHOW work_mem") == "321kB"
            assert await _only(connection, "SHOW transaction_isolation") == "read committed"
            await _write(connection)
        await engine.dispose()

    asyncio.run(body())
    assert _look(url, "SELECT count(*) FROM written") == 1


def test_scoped_session_is_a_session(url: str) -> None:
    async def body() -> None:
        engine = _engine(url)
        sessions = async_scoped_session(async_sessionmaker(engine), scopefunc=asyncio.current_task)
        async with open_async_source(sessions).transaction(read_only=False) as connection:
            await _write(connection)
        await sessions.commit()
        await sessions.remove()
        await engine.dispose()

    asyncio.run(body())
    assert _look(url, "SELECT count(*) FROM written") == 1


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
        engine = _engine(url)
        async with engine.connect() as connection, AsyncSession(engine) as session:
            awaited: list[Any] = [engine, connection, session]
            for target in awaited:
                with pytest.raises(ConfigurationError, match="use AsyncRagSpine"):
                    open_source(target)
        await engine.dispose()

    asyncio.run(body())


@pytest.mark.parametrize("kind", KINDS)
def test_driver_errors_arrive_as_ours_without_values(url: str, kind: str) -> None:
    async def body() -> None:
        async with hand(kind, url) as handed:
            with pytest.raises(IngestError) as refused:
                async with handed.source.transaction(read_only=False) as connection:
                    await _write(connection, "kanarienvogel", "kanarienvogel")
            assert refused.value.ids["constraint"] == "written_pkey"
            assert "kanarienvogel" not in str(refused.value)
            assert refused.value.__suppress_context__

    asyncio.run(body())


@pytest.mark.parametrize("kind", ["url", "pool", "engine", "idle", "alchemy idle"])
def test_use_from_a_second_event_loop_is_a_clear_error(url: str, kind: str) -> None:
    async def first() -> AsyncConnectionSource:
        async with hand(kind, url) as handed:
            async with handed.source.transaction(True) as connection:
                assert await _only(connection, "SELECT 1") == 1
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
                await _only(connection, "SELECT set_config('ragspine.grant', 'secret', true)")
            assert await _only(lent, "SELECT current_setting('ragspine.grant')") == "secret"
            await lent.rollback()

    asyncio.run(body())
