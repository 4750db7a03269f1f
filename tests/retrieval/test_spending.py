"""A search heeds its budget in each leg, and hands its key to the services it asks; blocking and awaited."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragspine_pg import (
    Access,
    AsyncRerankingRetriever,
    Budget,
    CallableReranker,
    Deadline,
    Document,
    HttpReranker,
    MultiIndexRetriever,
    RagSpine,
    RerankingRetriever,
    RetrievalContext,
    SearchResult,
)
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import BudgetExceeded
from tests.embedding.scripted import DIMENSIONS, ScriptedServer, echo
from tests.embedding.test_idempotency import keys
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine
from tests.retrieval.rerank_server import RerankServer

ME = Access("spending", {"user:ann"})
Search = Callable[..., SearchResult]


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[ScriptedServer, RerankServer]]:
    with ScriptedServer().running() as embedding, RerankServer().running() as rerank:
        yield embedding, rerank


@pytest.fixture(scope="module")
def built(database: Database, services: tuple[ScriptedServer, RerankServer]) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        model = OpenAIModel(model="m", dimensions=DIMENSIONS, base_url=services[0].url, max_wait=0.05)
        library = spine.create_library("spending", "notes", embedding=model)
        library.ingest(Document(f"n{n}", f"otter note {n}") for n in range(4))
        spine.create_library("spending", "words").ingest([Document("w", "otter")])
        assert keys(services[0]) == [None] * len(services[0].requests), "an ingest has no key"
        yield spine


@pytest.fixture
def embedding(services: tuple[ScriptedServer, RerankServer]) -> ScriptedServer:
    services[0].requests.clear()
    services[0].headers.clear()
    services[0].script.clear()
    return services[0]


@pytest.fixture
def rerank(services: tuple[ScriptedServer, RerankServer]) -> Iterator[RerankServer]:
    service = services[1]
    service.requests.clear()
    service.headers.clear()
    step = service.step
    yield service
    service.step = step


@pytest.fixture(params=["blocking", "awaited"])
def search(request: pytest.FixtureRequest, built: RagSpine, database: Database) -> Search:
    """``search`` of either facade, around it a reranker where one is given."""

    def blocking(query: str, reranker: Any = None, **options: Any) -> SearchResult:
        around = built if reranker is None else RerankingRetriever(built, reranker)
        return around.search(query, access=ME, libraries="notes", **options)

    def awaited(query: str, reranker: Any = None, **options: Any) -> SearchResult:
        async def body() -> SearchResult:
            async with open_async_spine(database) as spine:
                around = spine if reranker is None else AsyncRerankingRetriever(spine, reranker)
                return await around.search(query, access=ME, libraries="notes", **options)

        return asyncio.run(body())

    return blocking if request.param == "blocking" else awaited


def test_searches_share_a_budget(search: Search, embedding: ScriptedServer) -> None:
    budget = Budget(calls=2)
    context = RetrievalContext(budget=budget)
    found = [search("otter note", context=context) for _ in range(2)]
    assert [result.mode for result in found] == ["hybrid", "hybrid"]
    assert (budget.spent.calls, budget.spent.items, budget.spent.tokens) == (2, 2, 4)
    with pytest.raises(BudgetExceeded) as raised:
        search("otter note", context=context)
    assert raised.value.code == "budget_exceeded"
    with pytest.raises(BudgetExceeded):
        search("otter note", mode="vector", context=RetrievalContext(budget=budget, allow_partial=True))
    assert len(embedding.requests) == 2


def test_a_spent_budget_leaves_what_needs_no_model(search: Search, embedding: ScriptedServer) -> None:
    spent = Budget(calls=0)
    economy = search("otter", mode="economy", context=RetrievalContext(budget=spent))
    assert len(economy.hits) == 4
    partial = search("otter", context=RetrievalContext(Deadline.after(60), allow_partial=True, budget=spent))
    assert partial.hits == economy.hits
    assert partial.warnings == ("vector_leg_failed:budget_exceeded",)
    assert embedding.requests == []


def test_tokens_are_bounded_too(search: Search, embedding: ScriptedServer) -> None:
    context = RetrievalContext(budget=Budget(tokens=2))
    search("otter note 1", context=context)
    with pytest.raises(BudgetExceeded, match="3 of 2 tokens"):
        search("otter", context=context)
    assert len(embedding.requests) == 1


def test_a_judge_is_not_asked_beyond_the_budget(
    search: Search, embedding: ScriptedServer, rerank: RerankServer
) -> None:
    judge = HttpReranker(base_url=rerank.url, model="words")
    budget = Budget(calls=3)
    context = RetrievalContext(budget=budget)
    first = search("otter note", judge, context=context)
    assert (first.warnings, budget.spent.calls, budget.spent.items) == ((), 2, 5)
    assert first.hits[0].score != first.hits[0].scores["fused"]
    second = search("otter note", judge, context=context)
    assert second.warnings == ("reranker_failed:budget_exceeded",)
    assert second.hits == search("otter note").hits
    assert (second.usage.calls, budget.spent.calls) == (1, 3)
    assert len(rerank.requests) == 1


def test_a_judge_that_fails_was_asked(search: Search, embedding: ScriptedServer) -> None:
    budget = Budget()
    result = search("otter", CallableReranker(lambda query, texts: []), context=RetrievalContext(budget=budget))
    assert result.warnings == ("reranker_failed:rerank_rejected",)
    assert (budget.spent.calls, budget.spent.items) == (2, 5)


def test_a_spent_budget_is_no_librarys_fault(built: RagSpine, embedding: ScriptedServer) -> None:
    searched = MultiIndexRetriever(built, on_error="report")
    with pytest.raises(BudgetExceeded):
        searched.search("otter", access=ME, context=RetrievalContext(budget=Budget(calls=0)))
    assert embedding.requests == []


def test_all_attempts_of_a_search_carry_its_key(
    search: Search, embedding: ScriptedServer, rerank: RerankServer
) -> None:
    well, trouble = rerank.step, [echo(429, Retry_After="0")]
    rerank.step = lambda exchange: trouble.pop()(exchange) if trouble else well(exchange)
    embedding.script = [echo(429, Retry_After="0")]
    judge = HttpReranker(base_url=rerank.url, model="words", api_key="secret")
    context = RetrievalContext(idempotency_key="turn-1")
    first = search("otter note", judge, context=context)
    assert first.warnings == ()
    again = search("otter note", judge, context=context)
    assert again.hits == first.hits
    embedded, judged = keys(embedding), keys(rerank)
    assert (len(embedded), len(judged)) == (3, 3)
    assert len({*embedded}) == len({*judged}) == 1
    assert len({*embedded, *judged}) == 2
    assert all(str(key).startswith("turn-1-") for key in (*embedded, *judged))
    assert not any("otter" in str(key) or "secret" in str(key) for key in (*embedded, *judged))
    search("otter", judge, context=context)
    search("otter", judge)
    assert keys(embedding)[3] not in (None, *embedded)
    assert keys(rerank)[3] not in (None, *judged)
    assert (keys(embedding)[4], keys(rerank)[4]) == (None, None)


def test_a_judge_without_the_keyword_is_asked_as_ever(search: Search, embedding: ScriptedServer) -> None:
    judge = CallableReranker(lambda query, texts: [float(len(text)) for text in texts])
    result = search("otter note", judge, context=RetrievalContext(idempotency_key="turn-1"))
    assert result.warnings == ()
    assert "rerank" in result.hits[0].scores
