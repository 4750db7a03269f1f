"""How many candidates are judged, what a rerank service is sent, and which settings are refused."""

from collections.abc import Iterator
from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.errors import ConfigurationError, QueryError
from ragspine_pg.retrieval.rerank import CallableReranker, HttpReranker, make_reranker
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.retrieval.rerank_server import RerankServer

ME = Access("shop", {"user:ann"})


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        library = spine.create_library("shop", "orders")
        library.ingest([Document(f"d{n:03}", f"order {'word ' * n}", metadata={"n": n}) for n in range(120)])
        yield spine


@pytest.mark.parametrize(
    ("k", "candidates", "judged"),
    [(1, None, 5), (10, None, 50), (30, None, 100), (110, None, 110), (3, 7, 7), (9, 7, 9)],
)
def test_so_many_candidates_are_judged(built: RagSpine, k: int, candidates: int | None, judged: int) -> None:
    seen: list[int] = []

    def score(query: str, texts: Any) -> list[float]:
        seen.append(len(texts))
        return [len(text) for text in texts]

    searched = RerankingRetriever(built, CallableReranker(score, remote=False), candidates=candidates)
    result = searched.search("order", access=ME, k=k)
    assert seen == [judged]
    assert result.hits[0].document_id == f"d{judged - 1:03}"
    assert len(result.hits) == k
    assert (result.usage.items, result.usage.calls) == (judged, 1)


def test_fewer_than_asked_for_is_said(built: RagSpine) -> None:
    from ragspine_pg import MetadataFilter

    searched = RerankingRetriever(built, CallableReranker(lambda query, texts: [1.0] * len(texts)))
    few = MetadataFilter.where("n", "lt", 3)
    assert searched.search("order", access=ME, metadata_filter=few, k=5).reason == "fewer_matches"
    assert searched.search("order", access=ME, metadata_filter=few, k=3).reason is None
    assert searched.search("zebra", access=ME).reason == "no_match"
    bound = searched.retriever(access=ME, libraries="orders").retrieve("order", metadata_filter=few, top_k=2)
    assert len(bound.hits) == 2


def test_equal_scores_keep_their_order(built: RagSpine) -> None:
    plain = built.search("order word", access=ME, k=20)
    result = RerankingRetriever(built, CallableReranker(lambda query, texts: [0.5] * len(texts))).search(
        "order word", access=ME, k=20
    )
    assert [hit.chunk_id for hit in result.hits] == [hit.chunk_id for hit in plain.hits]


def test_a_service_is_sent_model_query_and_texts_and_the_key_as_a_header(built: RagSpine) -> None:
    with RerankServer().running() as service:
        judge = HttpReranker(
            base_url=service.url, model="words", api_key="secret", members={"truncate": "END"}, remote=True
        )
        result = RerankingRetriever(built, judge).search("order", access=ME, k=2)
        texts = [hit.text for hit in built.search("order", access=ME, k=10).hits]
        assert service.requests == [
            {"path": "/v1/rerank", "truncate": "END", "model": "words", "query": "order", "documents": texts}
        ]
        assert service.headers[0]["Authorization"] == "Bearer secret"
        assert "secret" not in repr(judge) + result.to_json()
        tei = HttpReranker(base_url=service.url, shape="tei")
        RerankingRetriever(built, tei).search("order", access=ME, k=2)
        assert service.requests[1] == {"path": "/v1/rerank", "query": "order", "texts": texts}


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "https://example.org"},
        {"base_url": "https://example.org", "model": " "},
        {"base_url": "http://example.org", "model": "m"},
        {"base_url": "ftp://example.org", "model": "m"},
        {"base_url": "https://user:word@example.org", "model": "m"},
        {"base_url": "https://example.org", "model": "m", "shape": "jina"},
        {"base_url": "https://example.org", "model": "m", "members": {"documents": []}},
        {"base_url": "https://example.org", "model": "m", "members": {"top_n": 3}},
        {"base_url": "https://example.org", "model": "m", "api_key": "a\nb"},
        {"base_url": "https://example.org", "model": "m", "remote": "no"},
        {"base_url": "https://example.org", "model": "m", "timeout": 0},
        {"model": "m"},
        {"base_url": "https://example.org", "model": "m", "top_k": 3},
    ],
)
def test_settings_that_cannot_be_meant_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        make_reranker("http", **options)


def test_rerankers_by_name_and_handed_in() -> None:
    assert make_reranker() is None
    assert make_reranker("none") is None
    made = make_reranker("http", base_url="http://example.org", model="m", remote=False)
    assert isinstance(made, HttpReranker)
    assert make_reranker(made) is made
    with pytest.raises(ConfigurationError, match="none, http, callable"):
        make_reranker("cohere")


@pytest.mark.parametrize(
    "options", [{"candidates": 0}, {"candidates": 1001}, {"seconds": 0}, {"confidential_libraries": "handbook"}]
)
def test_arguments_out_of_range_are_refused(built: RagSpine, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        RerankingRetriever(built, **options)


def test_a_reranked_search_cannot_be_continued(built: RagSpine) -> None:
    searched = RerankingRetriever(built, CallableReranker(lambda query, texts: [1.0] * len(texts)))
    with pytest.raises(QueryError, match="continued"):
        searched.search("order", access=ME, after="cursor")
    assert searched.search("order", access=ME).cursor is None
