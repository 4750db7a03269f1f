"""Building the HNSW index: by whom, one at a time, and what is left of the session."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool
from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

from ragspine_pg import AsyncRagSpine, Document, RagSpine
from ragspine_pg.errors import ConfigurationError, DeadlineExceeded, UnavailableError
from ragspine_pg.schema.vector_index import VectorIndex, build_vector_index
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel
from tests.fixtures.spine import Plant, open_spine

NAME = "large"


@pytest.fixture
def large(fresh_database: Database, plant: Plant) -> Database:
    """A database with a library that is to have an index."""
    plant("vector_index_ddl_v1", ("index_from CONSTANT bigint := 20000", "index_from CONSTANT bigint := 50"))
    with open_spine(fresh_database) as spine:
        library = spine.create_library("t", NAME, embedding=WrittenModel())
        library.ingest(Document(f"d{n}", f"[{n}, {100 - n}]") for n in range(60))
        spine.create_library("t", "small")
    return fresh_database


def engine_url(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def settings(connection: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    names = ["maintenance_work_mem", "max_parallel_maintenance_workers"]
    return connection.execute("SELECT current_setting(name) FROM unnest(%s::text[]) AS name", [names]).fetchall()


def superuser(database: Database, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        cursor = connection.execute(statement)  # type: ignore[arg-type]  # text of ours
        return cursor.fetchall()


def until(database: Database, statement: str) -> list[tuple[Any, ...]]:
    """The rows of ``statement``, once it has some."""
    for _ in range(600):
        if rows := superuser(database, statement):
            return rows
        threading.Event().wait(0.05)
    raise AssertionError(f"never: {statement}")


INDEX = "SELECT indexrelid, indisvalid FROM pg_index WHERE indexrelid::regclass::text ~ '__hnsw_'"
OTHER = """
SELECT FROM pg_stat_activity
 WHERE pid <> pg_backend_pid() AND datname = current_database()
   AND query ~ 'advisory_lock|DROP INDEX' AND query !~ 'pg_stat_activity'
"""


@contextmanager
def building(database: Database) -> Iterator["Building"]:
    """A build that has begun and cannot end before this does."""
    with psycopg.connect(database.superuser_url) as snapshot:
        snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        snapshot.execute("SELECT count(*) FROM ragspine.chunk_embedding")
        first = Building(database.owner_url)
        until(database, INDEX)
        yield first


class Building(threading.Thread):
    """A build in a thread; ``came`` is what it returned or raised."""

    def __init__(self, owner: Any) -> None:
        super().__init__()
        self.owner = owner
        self.came: object = None
        self.start()

    def run(self) -> None:
        try:
            self.came = build_vector_index(self.owner, "t", NAME)
        except Exception as error:  # noqa: BLE001 - looked at by the test
            self.came = error


def test_a_build_that_runs_is_waited_for_and_not_taken_for_a_broken_one(large: Database) -> None:
    with building(large) as first:
        (before,) = superuser(large, INDEX)
        assert not before[1]
        second = Building(large.owner_url)
        until(large, OTHER)
        # Whoever needs no index does not wait for the one that is built.
        assert build_vector_index(large.owner_url, "t", "small") is VectorIndex.NOT_NEEDED
    first.join(60)
    second.join(60)
    assert (first.came, second.came) == (VectorIndex.BUILT, VectorIndex.PRESENT)
    assert superuser(large, INDEX) == [(before[0], True)]


def test_a_build_that_was_interrupted_is_told_as_that_and_done_again(large: Database) -> None:
    with building(large) as first:
        assert until(
            large, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^CREATE INDEX CONCURRENTLY'"
        )
        first.join(60)
    assert isinstance(first.came, DeadlineExceeded)
    assert "ragspine" not in str(first.came)
    assert [valid for _, valid in superuser(large, INDEX)] == [False]
    assert build_vector_index(large.owner_url, "t", NAME) is VectorIndex.BUILT
    assert [valid for _, valid in superuser(large, INDEX)] == [True]


def test_a_lent_session_goes_back_as_it_came(large: Database) -> None:
    with psycopg.connect(large.owner_url) as connection:
        before = settings(connection)
        connection.rollback()
        assert build_vector_index(connection, "t", NAME) is VectorIndex.BUILT
        assert not connection.autocommit
        assert settings(connection) == before
        assert superuser(large, "SELECT FROM pg_locks WHERE locktype = 'advisory'") == []


def test_an_engine_gets_its_session_back_as_it_was(large: Database) -> None:
    engine = create_engine(engine_url(large.owner_url), pool_size=1, max_overflow=0)
    with engine.connect() as connection:
        before = settings(connection.connection.driver_connection)  # type: ignore[arg-type]  # psycopg's
    assert build_vector_index(engine, "t", NAME) is VectorIndex.BUILT
    with engine.connect() as connection:
        assert settings(connection.connection.driver_connection) == before  # type: ignore[arg-type]  # psycopg's
    engine.dispose()


@pytest.mark.parametrize("wrap", [str, create_engine])
def test_an_owner_that_cannot_be_reached_is_unavailable(database: Database, wrap: Callable[[str], Any]) -> None:
    url = database.owner_url.replace("/" + database.name, "/" + database.name + "_gone", 1)
    assert url != database.owner_url
    with pytest.raises(UnavailableError, match="the owner's database cannot be reached"):
        build_vector_index(wrap(engine_url(url)), "t", NAME)


def test_a_single_login_on_a_pool_builds_the_index(large: Database) -> None:
    with ConnectionPool(large.owner_url, min_size=1, max_size=2, open=True) as pool:
        spine = RagSpine.open(pool, single_login=True, grant_key=large.grant_key)
        report = spine.optimize("t", NAME)
        assert (report.vector_index, report.no_vector_index) == ("built", None)
        assert spine.optimize("t", "small").vector_index == "not_needed"


def test_an_owner_that_cannot_build_is_told_of_in_the_report(large: Database) -> None:
    engine = create_engine(engine_url(large.owner_url))
    with engine.connect() as connection, Session(engine) as session, psycopg.connect(large.owner_url) as busy:
        busy.execute("SELECT 1")
        for target in (connection, session, busy):
            spine = RagSpine.open(target, single_login=True, grant_key=large.grant_key)
            report = spine.optimize("t", NAME)
            assert report.vector_index is None
            assert "owner=" in (report.no_vector_index or "")
            with pytest.raises(ConfigurationError, match="outside any transaction"):
                build_vector_index(target, "t", NAME)
    engine.dispose()


def test_an_awaited_owner_is_told_of_in_the_report(large: Database) -> None:
    async def body() -> None:
        engine = create_async_engine(engine_url(large.owner_url))
        spine = await AsyncRagSpine.open(engine, single_login=True, grant_key=large.grant_key)
        report = await spine.optimize("t", NAME)
        assert report.vector_index is None
        assert "AsyncEngine" in (report.no_vector_index or "")
        await engine.dispose()

    asyncio.run(body())
