"""The same search through Python, awaited Python, SQL and the command line: the same bytes, process after process."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from ragspine_pg import AsyncRagSpine, RagSpine
from tests.conformance.twins import CASES, DOCUMENTS, awaited, build, command_line, environment, python, sql
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine, plant_function


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        build(spine)
        yield spine


@pytest.mark.parametrize("name", CASES)
def test_python_and_sql_give_the_same_bytes(built: RagSpine, database: Database, name: str) -> None:
    assert python(built, CASES[name]) == sql(database, built, CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_the_awaited_client_gives_the_same_bytes(built: RagSpine, database: Database, name: str) -> None:
    async def body() -> str:
        async with open_async_spine(database) as spine:
            return await awaited(spine, CASES[name])

    assert asyncio.run(body()) == python(built, CASES[name])


@pytest.mark.parametrize("name", ["plain", "windows", "filtered", "several libraries", "another language"])
def test_the_command_line_gives_the_same_object(built: RagSpine, database: Database, name: str) -> None:
    assert command_line(database, CASES[name]) == python(built, CASES[name])


def test_the_cases_see_something(built: RagSpine) -> None:
    found = {name: json.loads(python(built, case)) for name, case in CASES.items()}
    assert {name for name, result in found.items() if not result["hits"]} == {
        "nothing searchable",
        "no match",
        "filtered away",
        "a demand that nothing meets",
        "nothing but exclusions",
    }
    assert found["a demand that nothing meets"]["reason"] == "required_term_missing"
    assert found["nothing but exclusions"]["reason"] == "only_exclusions"
    assert found["nothing searchable"]["reason"] == "no_searchable_term"
    assert found["no match"]["reason"] == found["filtered away"]["reason"] == "no_match"
    assert found["several libraries"]["index_versions"] == {"guides": 1, "手引き": 1}
    assert {hit["document_id"] for hit in found["a large number"]["hits"]} == {"guide-9"}
    windows = [hit["window_text"] for hit in found["windows"]["hits"] if hit["library_id"] == "guides"]
    assert windows
    assert all(windows)
    assert all(hit["scores"]["lexical"] >= 0.6 for hit in found["a least score"]["hits"])
    assert {name: result["warnings"] for name, result in found.items() if result["warnings"]} == {
        "two, one unknown": ["library_without_readable_documents:nowhere"],
        "several unknown, one twice": [
            "library_without_readable_documents:zebra",
            "library_without_readable_documents:ant",
        ],
        "windows that are not there": ["no_parent_window"],
        "weights": ["weights_without_effect"],
        "another language": ["no_parent_window"],
    }


def test_twenty_new_processes_give_the_same_bytes(built: RagSpine, database: Database) -> None:
    program = (
        "import sys; from ragspine_pg import Access, RagSpine\n"
        "with RagSpine.open() as spine:\n"
        "    access = Access('twins', {'group:staff', 'user:ann'})\n"
        "    for query in ('return postage', '返品', 'tents in wind'):\n"
        "        print(spine.search(query, access=access, expand='parent').to_json())\n"
    )
    outputs = set()
    for number in range(20):
        seed = {"PYTHONHASHSEED": str(number), "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment(database) | seed, capture_output=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert b"Postage" in outputs.pop()


@pytest.mark.parametrize("kind", ["engine", "connection", "inside a transaction", "psycopg", "reset floats"])
def test_every_target_gives_the_same_bytes(built: RagSpine, database: Database, kind: str) -> None:
    case = CASES["several libraries"]
    expected = python(built, case)
    url = database.reader_url.replace("postgresql://", "postgresql+psycopg://")
    if kind in ("psycopg", "reset floats"):
        with psycopg.connect(database.reader_url, autocommit=True) as connection:
            if kind == "reset floats":
                connection.execute("SET extra_float_digits = -10")
                connection.execute("SET TimeZone = 'Asia/Tokyo'")
                connection.execute("SET search_path = ''")
            with RagSpine.open(connection, grant_key=database.grant_key) as spine:
                assert python(spine, case) == expected
            assert not connection.closed
        return
    engine = create_engine(url)
    if kind == "engine":
        with RagSpine.open(engine, grant_key=database.grant_key) as spine:
            assert python(spine, case) == expected
    else:
        with engine.connect() as lent:
            if kind == "inside a transaction":
                lent.begin()
            with RagSpine.open(lent, grant_key=database.grant_key) as spine:
                assert python(spine, case) == expected
            left = lent.exec_driver_sql("SELECT current_setting('ragspine.grant', true)").scalar()
            assert left in (None, ""), "no grant stays on a connection that was lent"
    engine.dispose()


@pytest.mark.parametrize(
    "kind", ["engine", "connection", "inside a transaction", "session", "psycopg", "reset floats", "pool"]
)
def test_every_awaited_target_gives_the_same_bytes(built: RagSpine, database: Database, kind: str) -> None:
    case = CASES["several libraries"]
    expected = python(built, case)
    url = database.reader_url

    async def compare(target: Any) -> None:
        async with await AsyncRagSpine.open(target, grant_key=database.grant_key) as spine:
            assert await awaited(spine, case) == expected

    async def body() -> None:
        engine = create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        if kind in ("psycopg", "reset floats"):
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                if kind == "reset floats":
                    await connection.execute("SET extra_float_digits = -10")
                    await connection.execute("SET TimeZone = 'Asia/Tokyo'")
                    await connection.execute("SET search_path = ''")
                await compare(connection)
                assert not connection.closed
        elif kind == "pool":
            async with AsyncConnectionPool(url, min_size=0, max_size=2, open=False) as pool:
                await compare(pool)
                assert not pool.closed
        elif kind == "engine":
            await compare(engine)
        elif kind == "session":
            async with AsyncSession(engine) as session:
                await compare(session)
                left = await session.execute(text("SELECT current_setting('ragspine.grant', true)"))
                assert left.scalar() in (None, ""), "no grant stays in a session that was lent"
        else:
            async with engine.connect() as lent:
                if kind == "inside a transaction":
                    _ = await lent.begin()
                await compare(lent)
                asked = await lent.exec_driver_sql("SELECT current_setting('ragspine.grant', true)")
                assert asked.scalar() in (None, ""), "no grant stays on a connection that was lent"
        await engine.dispose()

    asyncio.run(body())


def test_twins_has_teeth(fresh_spine: RagSpine, fresh_database: Database, vector_schema: str) -> None:
    fresh_spine.create_library("twins", "guides").ingest(DOCUMENTS[:9])
    fresh_spine.create_library("twins", "other").ingest(DOCUMENTS[:3])
    case = {"query": "return"}
    assert python(fresh_spine, case) == sql(fresh_database, fresh_spine, case)
    plant_function(
        fresh_database,
        "search_hits_v1",
        ("lexical_weight / (60 +", "lexical_weight / (61 +"),
        vector_schema=vector_schema,
    )
    assert python(fresh_spine, case) != sql(fresh_database, fresh_spine, case)
