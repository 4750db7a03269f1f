"""What stands around an awaited retriever gives what its twin gives, warnings and errors included."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from ragspine_pg import (
    Access,
    AsyncRagSpine,
    CallableFilterExtractor,
    CallableLibraryRouter,
    CallableReranker,
    Document,
    FilterExtractingRetriever,
    LibraryDescription,
    MetadataFilter,
    MultiIndexRetriever,
    RagSpine,
    RerankingRetriever,
)
from ragspine_pg.async_client.filter_extracting import AsyncFilterExtractingRetriever
from ragspine_pg.async_client.multi_index import AsyncMultiIndexRetriever
from ragspine_pg.async_client.reranking import AsyncRerankingRetriever
from ragspine_pg.errors import QueryError, RagSpineError, SeamFailed
from tests.async_client.heartbeat import Heartbeat
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine

ME = Access("around", {"user:ann"})
THREADS: set[int] = set()


@pytest.fixture(scope="module")
def built(database: Database) -> Iterable[RagSpine]:
    with open_spine(database) as spine:
        for name, embedding in (("returns", "hashing"), ("wages", "none")):
            library = spine.create_library("around", name, description=f"all about {name}", embedding=embedding)
            library.ingest([Document(f"{name}-{n}", f"{name} of goods {n}", metadata={"n": n}) for n in range(8)])
        yield spine


def seen(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which notes the thread that it is called in."""

    def noting(*arguments: Any, **options: Any) -> Any:
        THREADS.add(threading.get_ident())
        return function(*arguments, **options)

    return noting


def _backwards(query: str, texts: Sequence[str]) -> list[float]:
    return [float(place) for place in range(len(texts))]


def _route(query: str, libraries: Sequence[LibraryDescription]) -> list[str]:
    return ["wages", "nowhere"]


def _fail(*arguments: Any) -> Any:
    raise RuntimeError("secret text")


def extracting(spine: Any, twin: bool, extract: Callable[..., Any]) -> Any:
    kind = AsyncFilterExtractingRetriever if twin else FilterExtractingRetriever
    return kind(spine, CallableFilterExtractor(seen(extract)))


def routing(spine: Any, twin: bool, route: Callable[..., Any] | None, **options: Any) -> Any:
    kind = AsyncMultiIndexRetriever if twin else MultiIndexRetriever
    return kind(spine, None if route is None else CallableLibraryRouter(seen(route)), **options)


def reranking(spine: Any, twin: bool, judge: Callable[..., Any]) -> Any:
    kind = AsyncRerankingRetriever if twin else RerankingRetriever
    return kind(spine, CallableReranker(seen(judge), remote=False))


AROUND: dict[str, tuple[Callable[[Any, bool], Any], dict[str, Any]]] = {
    "a filter": (lambda s, t: extracting(s, t, lambda query: MetadataFilter.where("n", "gte", 5)), {}),
    "no filter": (lambda s, t: extracting(s, t, lambda query: None), {}),
    "a router": (lambda s, t: routing(s, t, _route), {}),
    "a router that fails, reported": (lambda s, t: routing(s, t, _fail, on_error="report"), {}),
    "weights": (lambda s, t: routing(s, t, None, library_weights={"wages": 3.0}), {"mode": "economy"}),
    "a library that fails, reported": (lambda s, t: routing(s, t, None, on_error="report"), {"mode": "vector"}),
    "a judge": (lambda s, t: reranking(s, t, _backwards), {"k": 3}),
    "a judge that fails": (lambda s, t: reranking(s, t, _fail), {"k": 3}),
    "all of them": (
        lambda s, t: reranking(
            extracting(routing(s, t, _route), t, lambda query: MetadataFilter.where("n", "lt", 6)), t, _backwards
        ),
        {"k": 4},
    ),
}

# What each says of itself, so that no two agree on doing nothing.
SAID = {
    "a filter": ["extracted_filter"],
    "a router that fails, reported": ["router_failed"],
    "a library that fails, reported": ["library_failed"],
    "a judge that fails": ["reranker_failed"],
    "all of them": ["extracted_filter"],
}

REFUSED: dict[str, tuple[Callable[[Any, bool], Any], dict[str, Any], type[RagSpineError]]] = {
    "a filter extractor that fails": (lambda s, t: extracting(s, t, _fail), {}, SeamFailed),
    "a router that fails": (lambda s, t: routing(s, t, _fail), {}, SeamFailed),
    "a library that fails": (lambda s, t: routing(s, t, None), {"mode": "vector"}, RagSpineError),
    "a page of reranked hits": (lambda s, t: reranking(s, t, _backwards), {"after": "x"}, QueryError),
    "no query": (lambda s, t: routing(s, t, _route), {"k": 0}, QueryError),
}


@pytest.mark.parametrize("name", AROUND)
def test_twins_around_a_retriever_give_the_same(built: RagSpine, database: Database, name: str) -> None:
    make, options = AROUND[name]
    expected = make(built, False).search("goods of wages", access=ME, **options)
    THREADS.clear()

    async def body() -> None:
        async with open_async_spine(database) as spine:
            made = make(spine, True)
            result = await made.search("goods of wages", access=ME, **options)
            assert result.to_json() == expected.to_json()
            assert result.warnings == expected.warnings
            bound = made.retriever(access=ME, libraries=["returns"])
            assert len((await bound.retrieve("goods", top_k=2)).hits) == 2
            assert threading.get_ident() not in THREADS, "somebody else's code is called in a thread"

    assert expected.hits
    assert [warning.split(":")[0] for warning in expected.warnings] == SAID.get(name, [])
    asyncio.run(body())


@pytest.mark.parametrize("name", REFUSED)
def test_twins_around_a_retriever_refuse_the_same(built: RagSpine, database: Database, name: str) -> None:
    make, options, error = REFUSED[name]
    with pytest.raises(error) as expected:
        make(built, False).search("goods", access=ME, **options)

    async def body() -> None:
        async with open_async_spine(database) as spine:
            with pytest.raises(type(expected.value)) as refused:
                await make(spine, True).search("goods", access=ME, **options)
            assert str(refused.value) == str(expected.value)
            assert "secret" not in str(refused.value)

    asyncio.run(body())


def test_the_libraries_are_described_alike(built: RagSpine, database: Database) -> None:
    async def body(spine: AsyncRagSpine) -> list[LibraryDescription]:
        return await AsyncMultiIndexRetriever(spine).describe("all wages", access=ME)

    async def opened() -> list[LibraryDescription]:
        async with open_async_spine(database) as spine:
            return await body(spine)

    described = asyncio.run(opened())
    assert described == MultiIndexRetriever(built).describe("all wages", access=ME)
    assert [library.library_id for library in described] == ["returns", "wages"]


def test_a_judge_that_takes_its_time_leaves_the_loop_free(built: RagSpine, database: Database) -> None:
    pause = threading.Event()

    def slowly(query: str, texts: Sequence[str]) -> list[float]:
        pause.wait(0.5)
        return _backwards(query, texts)

    async def body() -> None:
        async with open_async_spine(database) as spine:
            made = reranking(spine, True, slowly)
            await spine.search("goods", access=ME)
            async with Heartbeat() as heartbeat:
                result = await made.search("goods", access=ME, k=2)
            assert "rerank" in result.hits[0].scores
            assert heartbeat.longest < 0.25

    asyncio.run(body())
