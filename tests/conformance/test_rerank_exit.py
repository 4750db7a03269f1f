"""The second exit: what a judge is shown, and that it can change the order and nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from ragspine_pg import Access, Document, Hit, RagSpine, Sensitivity
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.contract.ports import Reranker
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.retrieval.rerank import RERANKERS, CallableReranker, HttpReranker, order
from tests.access import world
from tests.conformance.test_retrieval_mode_invariants import stored_text
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.retrieval.rerank_server import RerankServer, score

CALLERS = (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER)


def stock(spine: RagSpine) -> None:
    """The world of the isolation tests, and enough passages that a judge can turn their order."""
    world.build(spine)
    spine.library("acme", "handbook").ingest(
        [
            Document(f"more-{n}", f"Order {n}: return {'it ' * n}within {n} days.", metadata={"n": 10 + n})
            for n in range(8)
        ]
    )


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        stock(spine)
        yield spine


@pytest.fixture
def service() -> Iterator[RerankServer]:
    with RerankServer().running() as running:
        yield running


def http(service: RerankServer, *, remote: bool, **options: Any) -> HttpReranker:
    return HttpReranker(base_url=service.url, model="words", remote=remote, max_wait=0.1, **options)


def watched(service: RerankServer, *, remote: bool) -> CallableReranker:
    """The same judge as a function; it keeps what it was shown where the server does."""

    def judge_here(query: str, texts: Any) -> list[float]:
        service.requests.append({"query": query, "documents": list(texts)})
        return [score(query, text) for text in texts]

    return CallableReranker(judge_here, remote=remote)


JUDGES: dict[str, Callable[[RerankServer], Reranker]] = {
    "http": lambda service: http(service, remote=False),
    "http, remote": lambda service: http(service, remote=True),
    "http, tei": lambda service: http(service, remote=False, shape="tei"),
    "callable": lambda service: watched(service, remote=False),
    "callable, remote": lambda service: watched(service, remote=True),
}


def test_every_reranker_of_ours_is_here() -> None:
    assert {name.partition(",")[0] for name in JUDGES} == set(RERANKERS)


def without_scores(hit: Hit) -> Hit:
    return replace(hit, rank=0, score=0.0, scores={}, ranks={})


def assert_reranked(base: Any, reranker: Reranker, service: RerankServer, database: Database) -> None:
    """The core: what leaves is readable stored text of a label that may; what comes back is the base's, reordered."""
    moved = 0
    for access in CALLERS:
        del service.requests[:]
        candidates = base.search(world.QUESTION, access=access, k=25, expand="parent")
        result = RerankingRetriever(base, reranker).search(world.QUESTION, access=access, k=5, expand="parent")
        readable = {
            hit.text: hit.sensitivity.value
            for hit in candidates.hits
            if stored_text(database, access.tenant, hit.document_id).find(hit.text) >= 0
        }
        allowed = {"PUBLIC", "INTERNAL"} if reranker.remote else {"PUBLIC", "INTERNAL", "CONFIDENTIAL"}
        for text in service.texts():
            assert readable[text] in allowed
            assert world.CANARY not in text or access is not world.OUTSIDER
        sent = [hit for hit in candidates.hits if hit.sensitivity.value in allowed]
        assert len(service.texts()) == len(sent)
        held = {at: hit for at, hit in enumerate(candidates.hits) if hit.sensitivity.value not in allowed}
        expected = sorted(sent, key=lambda hit: (-score(world.QUESTION, hit.text), hit.rank))
        for at, hit in held.items():
            expected.insert(at, hit)
        assert [without_scores(hit) for hit in result.hits] == [without_scores(hit) for hit in expected[:5]]
        assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
        assert ("reranker_withheld" in result.warnings) == bool(held)
        assert not any(w.startswith("reranker_failed") for w in result.warnings)
        for hit in result.hits:
            if hit.sensitivity.value in allowed:
                assert hit.score == hit.scores["rerank"] == score(world.QUESTION, hit.text)
                assert hit.scores["fused"] in [one.score for one in candidates.hits]
        moved += [hit.chunk_id for hit in result.hits] != [hit.chunk_id for hit in candidates.hits[:5]]
        assert bool(result.hits) == (access is not world.NOBODY)
    assert moved >= 2, "the judge has another opinion than the fusion, so that its order shows"


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_changes_the_order_alone(built: RagSpine, database: Database, service: RerankServer, name: str) -> None:
    assert_reranked(built, JUDGES[name](service), service, database)


def test_without_a_judge_not_a_byte_changes(built: RagSpine) -> None:
    for access in CALLERS:
        plain = built.search(world.QUESTION, access=access)
        assert RerankingRetriever(built, "none").search(world.QUESTION, access=access).to_json() == plain.to_json()


def test_confidential_text_goes_to_a_remote_judge_only_if_its_library_opted_in(
    built: RagSpine, service: RerankServer
) -> None:
    for libraries, allowed in ([], False), (["manual"], False), (["handbook"], True):
        del service.requests[:]
        searched = RerankingRetriever(built, http(service, remote=True), confidential_libraries=libraries)
        result = searched.search(world.QUESTION, access=world.FINANCE)
        assert any("Finance books" in text for text in service.texts()) is allowed
        assert ("reranker_withheld" in result.warnings) is not allowed
        assert any(hit.document_id == "finance" for hit in result.hits)


class Base:
    """A base whose hits are the real one's, with a fault."""

    def __init__(self, base: RagSpine, change: Callable[[Hit], Hit]) -> None:
        self._base, self._change = base, change

    def search(self, query: str, **options: Any) -> SearchResult:
        result = self._base.search(query, **options)
        return replace(result, hits=tuple(map(self._change, result.hits)))


BAD: dict[str, dict[str, Any]] = {
    "restricted": {"sensitivity": Sensitivity.RESTRICTED},
    "unknown label": {"sensitivity": "internal"},
    "padded label": {"sensitivity": "INTERNAL "},
    "blank label": {"sensitivity": ""},
    "another tenant": {"tenant": "globex"},
    "another text": {"text": "Returns are refused."},
    "no text": {"text": None},
    "a lone surrogate": {"text": "\ud800"},
    "a locator that is merely not empty": {"locator": "page 1"},
    "no locator": {"locator": ""},
    "a locator without its span": {"locator": "char=0,1;sha256=" + "0" * 64},
}


@pytest.mark.parametrize("fault", BAD)
def test_the_exit_holds_when_everything_before_it_fails(built: RagSpine, service: RerankServer, fault: str) -> None:
    def change(hit: Hit) -> Hit:
        return replace(hit, **BAD[fault]) if hit.document_id == "more-3" else hit

    base = Base(built, change)
    result = RerankingRetriever(base, http(service, remote=False)).search(world.QUESTION, access=world.STAFF, k=20)
    assert len(service.texts()) == len(result.hits) - 1 > 5
    assert not any("Order 3:" in text or text == BAD[fault].get("text") for text in service.texts())
    assert "reranker_withheld" in result.warnings
    before = [hit.document_id for hit in base.search(world.QUESTION, access=world.STAFF, k=20).hits]
    assert [hit.document_id for hit in result.hits].index("more-3") == before.index("more-3")


def test_without_a_principal_nothing_is_shown(built: RagSpine, service: RerankServer) -> None:
    hits = built.search(world.QUESTION, access=world.STAFF)
    reranked = order.rerank_result(hits, http(service, remote=False), Access("acme"), 3, seconds=5)
    assert service.requests == []
    assert [hit.chunk_id for hit in reranked.hits] == [hit.chunk_id for hit in hits.hits[:3]]


def test_the_exit_has_teeth(
    built: RagSpine, database: Database, service: RerankServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_reranked(built, http(service, remote=True), service, database)
    monkeypatch.setattr(order, "hits_through_rerank", lambda hits, access, **options: list(hits))
    with pytest.raises((AssertionError, KeyError)):
        assert_reranked(built, http(service, remote=True), service, database)


PLANTED: dict[str, Callable[[list[Hit]], list[Hit]]] = {
    "drops a hit": lambda hits: hits[1:],
    "repeats a hit": lambda hits: [hits[0], *hits],
    "turns the order": lambda hits: hits[::-1],
    "changes a text": lambda hits: [replace(hit, text=hit.text.upper()) for hit in hits],
    "keeps the order": lambda hits: sorted(hits, key=lambda hit: hit.ranks.get("fused", hit.rank)),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_the_order_has_teeth(
    built: RagSpine, database: Database, service: RerankServer, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    ordered = order._ordered

    def broken(hits: Any, sent: Any, scores: Any) -> list[Hit]:
        return PLANTED[fault](ordered(hits, sent, scores))

    monkeypatch.setattr(order, "_ordered", broken)
    with pytest.raises(AssertionError):
        assert_reranked(built, http(service, remote=False), service, database)
