"""A judge that misbehaves, as a service or as a function, costs a search its new order and nothing else."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ragspine_pg import Deadline, RagSpine, RetrievalContext
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.contract.judgement import Judgement
from ragspine_pg.contract.ports import Reranker
from ragspine_pg.errors import RerankError
from ragspine_pg.retrieval.rerank import CallableReranker, order
from ragspine_pg.retrieval.rerank.judge import judge
from tests.access import world
from tests.conformance.test_rerank_exit import http, stock
from tests.embedding.scripted import echo
from tests.embedding.silence import CANARY, assert_silent
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.retrieval.rerank_server import RerankServer, changed


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        stock(spine)
        yield spine


@pytest.fixture
def service() -> Iterator[RerankServer]:
    with RerankServer().running() as running:
        yield running


MISBEHAVIOUR: dict[str, Any] = {
    "too few": changed(lambda results: results[:-1]),
    "none": changed(lambda results: []),
    "too many": changed(lambda results: [*results, {"index": len(results), "relevance_score": 0.1}]),
    "one twice": changed(lambda results: [results[0], *results[:-1]]),
    "one twice beside all": changed(lambda results: [*results, results[0]]),
    "an index that was not sent": changed(lambda results: results[0].update(index=99)),
    "a negative index": changed(lambda results: results[0].update(index=-1)),
    "an index that is a text": changed(lambda results: results[0].update(index="0")),
    "an index that is true": changed(lambda results: results[0].update(index=True)),
    "no index": changed(lambda results: results[0].pop("index") and None),
    "no score": changed(lambda results: results[0].pop("relevance_score") and None),
    "a score that is a text": changed(lambda results: results[0].update(relevance_score="high")),
    "a score of null": changed(lambda results: results[0].update(relevance_score=None)),
    "NaN": changed(lambda results: results[0].update(relevance_score=float("nan"))),
    "infinity": changed(lambda results: results[0].update(relevance_score=float("inf"))),
    "a result that is no object": changed(lambda results: [7, *results[1:]]),
    "a list that is none": lambda exchange: exchange.answer({"results": "all fine"}),
    "another object": lambda exchange: exchange.answer({"ranking": []}),
    "no JSON": lambda exchange: exchange.answer(b"<html>"),
    "HTTP 400": echo(400),
    "HTTP 401": echo(401),
    "HTTP 429": echo(429, Retry_After="60"),
    "HTTP 500": echo(500),
    "a redirect": echo(302, Location="http://127.0.0.1:1/"),
    "a reset": lambda exchange: exchange.reset(),
    "silence": lambda exchange: exchange.hang(),
    "a drip": lambda exchange: exchange.drip(),
    "a flood": lambda exchange: exchange.pour(),
}


def assert_falls_back(built: RagSpine, reranker: Reranker, **options: Any) -> None:
    """The core: the fused order, whole, and a warning."""
    plain = built.search(world.QUESTION, access=world.STAFF, k=5)
    started = time.monotonic()
    result = RerankingRetriever(built, reranker, **options).search(world.QUESTION, access=world.STAFF, k=5)
    assert time.monotonic() - started < 8
    assert len(result.hits) == 5
    assert result.hits == plain.hits
    assert result.reason is None
    (warning,) = result.warnings
    codes = ("rerank_failed", "rerank_unavailable", "rerank_rejected")
    assert warning in tuple(f"reranker_failed:{code}" for code in codes)
    assert json.loads(result.to_json())["warnings"] == [warning]


@pytest.mark.parametrize("fault", MISBEHAVIOUR)
def test_a_misbehaving_service_costs_the_order_alone(built: RagSpine, service: RerankServer, fault: str) -> None:
    service.step = MISBEHAVIOUR[fault]
    assert_falls_back(built, http(service, remote=False, timeout=0.4))
    assert service.requests, "the service was asked"


@pytest.mark.parametrize("fault", ["too few", "HTTP 400", "HTTP 500", "no JSON", "an index that is a text"])
def test_no_error_of_a_service_quotes_a_text(service: RerankServer, fault: str) -> None:
    service.step = MISBEHAVIOUR[fault]
    with pytest.raises(RerankError) as caught:
        judge(http(service, remote=False), CANARY, [CANARY, f"a {CANARY}"], seconds=5)
    assert_silent(caught.value)


def _never(query: str, texts: Any) -> list[float]:
    time.sleep(20)
    return [0.0 for _ in texts]


def _endless(query: str, texts: Any) -> Iterator[float]:
    while True:
        yield 1.0


def _raising(error: BaseException) -> Any:
    def judge_here(query: str, texts: Any) -> list[float]:
        raise error

    return judge_here


class _Own:
    """A judge of an application's own that gives what it likes."""

    name = "own"
    remote = False

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def rerank(self, query: str, texts: Any, *, deadline: Any = None) -> Any:
        return self._answer(texts)


FUNCTIONS: dict[str, Reranker] = {
    "an exception": CallableReranker(_raising(RuntimeError("no"))),
    "an exit": CallableReranker(_raising(SystemExit(3))),
    "never": CallableReranker(_never),
    "endless": CallableReranker(_endless),
    "too few": CallableReranker(lambda query, texts: [1.0]),
    "NaN": CallableReranker(lambda query, texts: [float("nan") for _ in texts]),
    "texts": CallableReranker(lambda query, texts: texts),  # type: ignore[arg-type, return-value]
    "nothing": _Own(lambda texts: None),
    "pairs that are no judgements": _Own(lambda texts: [(at, 1.0) for at in range(len(texts))]),
    "true for an index": _Own(lambda texts: [Judgement(True, 1.0) for _ in texts]),
    "a number that no float holds": _Own(lambda texts: [Judgement(at, 10**400) for at in range(len(texts))]),
}


@pytest.mark.parametrize("fault", FUNCTIONS)
def test_a_misbehaving_function_costs_the_order_alone(built: RagSpine, fault: str) -> None:
    assert_falls_back(built, FUNCTIONS[fault], seconds=0.5)


@pytest.mark.parametrize(
    ("fault", "code"),
    [("an exception", "rerank_failed"), ("never", "rerank_unavailable"), ("NaN", "rerank_rejected")],
)
def test_the_warning_says_of_what_kind_the_failure_is(built: RagSpine, fault: str, code: str) -> None:
    result = RerankingRetriever(built, FUNCTIONS[fault], seconds=0.3).search(world.QUESTION, access=world.STAFF)
    assert result.warnings == (f"reranker_failed:{code}",)


def test_falling_back_has_teeth(built: RagSpine, service: RerankServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        assert_falls_back(built, http(service, remote=False))
    service.step = MISBEHAVIOUR["NaN"]
    monkeypatch.setattr(order, "judge", lambda reranker, query, texts, **bounds: list(range(len(texts))))
    with pytest.raises(AssertionError):
        assert_falls_back(built, http(service, remote=False))


def test_a_deadline_bounds_the_judge_and_the_found_is_kept(built: RagSpine, service: RerankServer) -> None:
    service.step = MISBEHAVIOUR["silence"]
    started = time.monotonic()
    context = RetrievalContext(deadline=Deadline.after(1))
    searched = RerankingRetriever(built, http(service, remote=False, timeout=30), seconds=30)
    result = searched.search(world.QUESTION, access=world.STAFF, context=context)
    assert time.monotonic() - started < 3
    assert result.hits
    assert result.warnings == ("reranker_failed:rerank_unavailable",)
