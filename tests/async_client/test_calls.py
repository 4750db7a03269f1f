"""Each call of the awaited facade does what its twin does."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from ragspine_pg import (
    Access,
    AsyncIngestor,
    AsyncNarrativeRetriever,
    AsyncRagSpine,
    AsyncRetriever,
    Document,
    MetadataFilter,
)
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError, LibraryExists, NotFound, QueryError
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine

ME = Access("calls", {"group:staff"})


def test_the_life_of_a_library(fresh_database: Database, tmp_path: Path) -> None:
    (tmp_path / "tents.md").write_text("# Tents\n\nA tent is returned dry.\n", encoding="utf-8")

    async def body() -> None:
        async with open_async_spine(fresh_database) as spine:
            await spine.check_schema()
            library = await spine.create_library("calls", "notes", embedding="hashing", fields={"n": "number"})
            with pytest.raises(LibraryExists):
                await spine.create_library("calls", "notes")
            await spine.create_library("calls", "notes", exist_ok=True)  # what is not given is as it is there
            with pytest.raises(LibraryExists, match=r"fields\.n is"):
                await spine.create_library("calls", "notes", fields={}, exist_ok=True)
            seen: list[Progress] = []
            documents = [Document(f"n{n}", f"return an order {n}", metadata={"n": n}) for n in range(20)]
            report = await library.ingest([*documents, tmp_path], progress=seen.append)
            assert (report.added, report.usage.items > 0) == (21, True)
            assert {said.stage for said in seen} >= {"read", "embed", "documents", "chunks"}

            result = await library.search("return an order", access=ME, k=5)
            assert (len(result.hits), result.mode) == (5, "hybrid")
            rest = await library.search("return an order", access=ME, k=5, after=result.cursor)
            assert not {hit.chunk_id for hit in rest.hits} & {hit.chunk_id for hit in result.hits}
            only = MetadataFilter.where("n", "eq", 7)
            assert [hit.document_id for hit in (await spine.search("order", access=ME, metadata_filter=only)).hits] == [
                "n7"
            ]
            bound = spine.retriever(access=ME)
            assert isinstance(bound, AsyncNarrativeRetriever)
            assert len((await bound.retrieve("tent", top_k=1)).hits) == 1
            explained = await library.explain("order", access=ME, document_id="n7")
            assert explained.verdict in {"hit", "below_k"}

            assert await library.relabel("n7", sensitivity="RESTRICTED")
            hidden = await library.explain("order", access=ME, document_id="n7")
            assert (await spine.ingestor.explain_rights(hidden, ME)).verdict == "restricted"
            assert await library.delete("n8")
            assert not await library.delete("n8")
            with pytest.raises(NotFound):
                await library.relabel("n8", readers=None)
            assert (await library.stats()).documents == 20
            assert [version.version for version in await library.versions()] == [1]
            await library.optimize()
            assert [info.library_id for info in await spine.ingestor.libraries("calls")] == ["notes"]
            assert await library.drop() == 20
            assert await spine.ingestor.libraries("calls") == []

    asyncio.run(body())


def test_wrong_arguments_are_the_same_errors(database: Database) -> None:
    async def body() -> None:
        with open_spine(database) as blocking:
            async with open_async_spine(database) as spine:
                calls: list[dict[str, Any]] = [
                    {"query": "a\0b", "access": ME},
                    {"query": "q", "access": ME, "k": 0},
                    {"query": "q", "access": "ann"},
                    {"query": "q", "access": ME, "mode": "fast"},
                    {"query": "q", "access": ME, "after": "nonsense"},
                ]
                for call in calls:
                    with pytest.raises((QueryError, ConfigurationError)) as blocked:
                        blocking.search(**call)
                    with pytest.raises(type(blocked.value)) as awaited:
                        await spine.search(**call)
                    assert str(awaited.value) == str(blocked.value)

    asyncio.run(body())


def test_each_authority_is_usable_alone(database: Database) -> None:
    async def body() -> None:
        async with await AsyncIngestor.open(database.ingest_url) as ingestor:
            await ingestor.create_library("calls", "alone")
            await ingestor.ingest("calls", "alone", [Document("one", "a word alone")])
        async with await AsyncRetriever.open(database.reader_url, grant_key=database.grant_key) as retriever:
            assert len((await retriever.search("word", access=ME, libraries="alone")).hits) == 1

    asyncio.run(body())


def test_opened_for_reading_alone_it_cannot_write(database: Database) -> None:
    async def body() -> None:
        config = ServiceConfig.load(database_url=database.reader_url)
        async with await AsyncRetriever.open(config=config) as retriever:
            with pytest.raises(ConfigurationError, match="RAGSPINE_GRANT_KEY"):
                await retriever.search("word", access=ME)
        async with await AsyncRagSpine.open(config=config) as spine:
            with pytest.raises(ConfigurationError, match="reading alone"):
                await spine.create_library("calls", "never")
            with pytest.raises(ConfigurationError, match="no owner to migrate as"):
                await spine.migrate()

    asyncio.run(body())


def test_migration_runs_beside_the_loop_and_an_engine_that_is_awaited_is_refused(fresh_database: Database) -> None:
    async def body() -> None:
        async with open_async_spine(fresh_database) as spine:
            migrated = await spine.migrate()
            assert migrated.before == migrated.after
        engine: Any = create_async_engine(fresh_database.owner_url.replace("postgresql://", "postgresql+psycopg://"))
        async with await AsyncRagSpine.open(fresh_database.reader_url, owner=engine) as spine:
            with pytest.raises(ConfigurationError, match=r"cannot migrate a AsyncEngine.*Alembic cannot await"):
                await spine.migrate()
        await engine.dispose()

    asyncio.run(body())


def test_the_embedded_server_is_opened_awaited(stopped_home: Path) -> None:
    async def body() -> None:
        config = ServiceConfig.load(home=stopped_home)
        async with await AsyncRagSpine.open(config=config) as spine:
            assert spine.embedded is not None
            library = await spine.create_library("calls", "embedded")
            await library.ingest([Document("one", "a word")])
            assert len((await library.search("word", access=ME)).hits) == 1
        async with await AsyncRagSpine.open(config=config) as again:
            assert len((await again.library("calls", "embedded").search("word", access=ME)).hits) == 1

    asyncio.run(body())
