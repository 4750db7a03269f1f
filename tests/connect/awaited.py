"""What is handed in to the awaited client, of every kind."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import sqlalchemy
from psycopg.rows import dict_row, tuple_row
from psycopg_pool import AsyncConnectionPool
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import open_async_source
from ragspine_pg.connect.embedded import EmbeddedServer
from tests.fixtures.database import empty_database

KINDS = ["url", "engine", "pool", "idle", "idle autocommit", "joined", "alchemy idle", "alchemy joined", "session"]
JOINED = ["joined", "alchemy joined", "session"]


@dataclass
class Handed:
    """A source, how its lender looks at the database through what it lent, and whether that is still open."""

    source: AsyncConnectionSource
    look: Callable[[str], Awaitable[Any]]
    is_open: Callable[[], Awaitable[bool]]


def database_to_write(server: EmbeddedServer) -> str:
    """The owner's URL of a new database with a table to write to."""
    url = empty_database(server, f"async_sources_{secrets.token_hex(6)}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE written (word text PRIMARY KEY)")
    return url


def engine_of(url: str) -> AsyncEngine:
    return create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))


@asynccontextmanager
async def hand(kind: str, url: str) -> AsyncIterator[Handed]:
    async def look(query: str) -> Any:
        return look_at(url, query)

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

            yield Handed(open_async_source(lent), lambda query: ask_one(lent, query), lent_open)
        else:
            engine = engine_of(url)
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


def look_at(url: str, query: str) -> Any:
    with psycopg.connect(url) as connection:
        row = connection.execute(query.encode()).fetchone()
        return None if row is None else row[0]


async def ask_one(connection: psycopg.AsyncConnection[Any], query: str) -> Any:
    cursor = psycopg.AsyncCursor(connection, row_factory=tuple_row)
    await cursor.execute(query.encode())
    row = await cursor.fetchone()
    return None if row is None else row[0]


async def write_words(connection: psycopg.AsyncConnection[Any], *words: str) -> None:
    for word in words or ("w",):
        await psycopg.AsyncCursor(connection).execute("INSERT INTO written VALUES (%s)", [word])
