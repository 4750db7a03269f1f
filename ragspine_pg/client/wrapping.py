"""The retrievers that settings name, one around the other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragspine_pg.client.filter_extracting import FilterExtractingRetriever
from ragspine_pg.client.multi_index import MultiIndexRetriever
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.client.retriever import Retriever
from ragspine_pg.contract.ports import FilterExtractor, LibraryRouter, Reranker, Searcher
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.retrieval.filtering.registry import make_filter_extractor
from ragspine_pg.retrieval.rerank.registry import make_reranker
from ragspine_pg.retrieval.routing.registry import make_library_router
from ragspine_pg.retrieval.selector import NONE

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig


def adds_nothing(config: "ServiceConfig") -> bool:
    """Whether no setting is about a router, a filter extractor or a reranker."""
    return (config.library_router, config.filter_extractor, config.reranker) == (NONE, NONE, NONE) and not any(
        (config.filter_vocabulary, config.rerank_url, config.rerank_model, config.rerank_api_key)
    )


def wrap_retriever(retriever: Retriever, config: "ServiceConfig | None" = None) -> Searcher:
    """``retriever`` with what ``config`` (else the environment) adds: a router, a filter extractor, a reranker.

    ``library_router``, ``filter_extractor`` with ``filter_vocabulary``, and ``reranker`` with ``rerank_url``,
    ``rerank_model`` and ``rerank_api_key``. The filter is extracted before the route is chosen, and the hits are
    reranked last. Where all three are ``none`` it is ``retriever`` itself, and not a byte changes. A ``RagSpine`` that
    was opened with such settings searches through them by itself; here it is its path alone that is wrapped.

    Raises ``ConfigurationError`` as the factories do, and for a setting that belongs to something not chosen.
    """
    seams = chosen_seams(config)
    plain = retriever._plain
    wrapped: Searcher = plain
    if seams.router is not None:
        wrapped = MultiIndexRetriever(plain, seams.router)
    if seams.extractor is not None:
        wrapped = FilterExtractingRetriever(wrapped, seams.extractor)
    if seams.reranker is not None:
        wrapped = RerankingRetriever(wrapped, seams.reranker)
    return wrapped


@dataclass(frozen=True, slots=True)
class Seams:
    """What stands around a retriever; None for what does not."""

    router: LibraryRouter | None
    extractor: FilterExtractor | None
    reranker: Reranker | None


def chosen_seams(config: "ServiceConfig | None") -> Seams:
    """What ``config`` (else the environment) names. Raises ``ConfigurationError`` as ``wrap_retriever`` does."""
    from ragspine_pg.config import ServiceConfig

    config = ServiceConfig.load() if config is None else config
    extracting = {} if config.filter_vocabulary is None else {"vocabulary": config.filter_vocabulary}
    reranking = {
        option: value
        for option, value in {
            "base_url": config.rerank_url,
            "model": config.rerank_model,
            "api_key": config.secret("rerank_api_key"),
        }.items()
        if value is not None
    }
    for seam, chosen, options in (
        ("filter_extractor", config.filter_extractor, extracting),
        ("reranker", config.reranker, reranking),
    ):
        if chosen == NONE and options:
            raise ConfigurationError(f"{seam} is none, and has settings: choose one, or leave them out")
    return Seams(
        make_library_router(config.library_router),
        make_filter_extractor(config.filter_extractor, **extracting),
        make_reranker(config.reranker, **reranking),
    )
