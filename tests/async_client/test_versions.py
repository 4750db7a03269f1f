"""Index versions, awaited: the same jobs, told of on the loop, cancelled between transactions or within one."""

import asyncio

import pytest

from ragspine_pg import Access, AsyncRagSpine, Document
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import VersionNotReady
from ragspine_pg.ingest import catch_up
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine

ME = Access("awaited", {"user:me"})
DOCUMENTS = [Document(f"n{n}", f"return an order {n}. " * 20, title=f"Order {n}") for n in range(20)]


async def states(spine: AsyncRagSpine) -> dict[int, str]:
    return {version.version: version.state for version in await spine.library("awaited", "notes").versions()}


def test_a_library_is_rebuilt_published_and_rolled_back(fresh_database: Database) -> None:
    async def body() -> None:
        async with open_async_spine(fresh_database) as spine:
            library = await spine.create_library("awaited", "notes")
            await library.ingest(DOCUMENTS)
            before = (await library.search("order 7", access=ME)).to_json()
            said: list[Progress] = []
            report = await library.rebuild(analyzer="simple", embedding="hashing", progress=said.append)
            assert (report.version, report.documents, report.usage.items > 20) == (2, 20, True)
            assert {progress.stage for progress in said} == {"index", "check"}
            assert (await library.publish(2)).state == "published"
            after = await library.search("order 7", access=ME)
            assert (after.mode, after.index_versions) == ("hybrid", {"notes": 2})
            assert (await library.rollback()).version == 1
            assert (await library.search("order 7", access=ME)).to_json() == before

    asyncio.run(body())


def test_what_progress_raises_ends_a_rebuild_and_the_next_goes_on(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catch_up, "BATCH", (5, 100_000))

    def refuse(progress: Progress) -> None:
        if progress.done:
            raise LookupError("enough")

    async def body() -> None:
        async with open_async_spine(fresh_database) as spine:
            library = await spine.create_library("awaited", "notes")
            await library.ingest(DOCUMENTS)
            with pytest.raises(LookupError, match="enough"):
                await library.rebuild(analyzer="simple", progress=refuse)
            with pytest.raises(VersionNotReady):
                await library.publish(2)
            report = await library.rebuild(analyzer="simple")
            assert (report.resumed, report.documents) == (True, 15)
            assert await states(spine) == {2: "verified", 1: "published"}

    asyncio.run(body())


def test_a_cancelled_rebuild_goes_on_later(fresh_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catch_up, "BATCH", (1, 100_000))

    async def body() -> None:
        async with open_async_spine(fresh_database) as spine:
            library = await spine.create_library("awaited", "notes")
            await library.ingest(DOCUMENTS)
            begun = asyncio.Event()

            def tell(progress: Progress) -> None:
                if progress.done == 3:
                    begun.set()

            running = asyncio.create_task(library.rebuild(analyzer="simple", progress=tell))
            await begun.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert await states(spine) == {2: "building", 1: "published"}
            report = await library.rebuild(analyzer="simple")
            assert report.resumed
            assert 0 < report.documents <= 17
            assert (await library.publish(2)).pending == 0

    asyncio.run(body())
