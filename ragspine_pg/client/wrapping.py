"""The retrievers that settings name, one around the other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragspine_pg.client.filter_extracting import FilterExtractingRetriever
from ragspine_pg.client.multi_index import MultiIndexRetriever
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.client.retriever import Retriever
from ragspine_pg.contract.ports import FilterExtractor, LibraryRouter, Reranker, Searcher
from ragspine_pg.contract.setting import set_by, variable
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.retrieval.filtering.registry import make_filter_extractor
from ragspine_pg.retrieval.rerank.registry import make_reranker
from ragspine_pg.retrieval.routing.registry import make_library_router
from ragspine_pg.retrieval.selector import NONE

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig


@dataclass(frozen=True, slots=True)
class Seams:
    """What stands around a retriever; None for what does not."""

    router: LibraryRouter | None = None
    extractor: FilterExtractor | None = None
    reranker: Reranker | None = None


NO_SEAMS: Final = Seams()


def wrap_retriever(retriever: Retriever, config: "ServiceConfig | None" = None) -> Searcher:
    """``retriever`` with what ``config`` (else the environment) adds: a router, a filter extractor, a reranker.

    ``library_router``, ``filter_extractor`` with ``filter_vocabulary``, and ``reranker`` with ``rerank_url``,
    ``rerank_model`` and ``rerank_api_key``. The filter is extracted before the route is chosen, and the hits are
    reranked last. Where all three are ``none`` it is ``retriever`` itself, and not a byte changes. A ``RagSpine`` that
    was opened with such settings searches through them by itself; here it is its path alone that is wrapped.

    Raises ``ConfigurationError`` as the factories do, and for a setting that belongs to something not chosen.
    """
    return wrapped_in(chosen_seams(config), retriever._plain)


def wrapped_in(seams: Seams, plain: Retriever) -> Searcher:
    """``plain`` with ``seams`` around it."""
    wrapped: Searcher = plain
    if seams.router is not None:
        wrapped = MultiIndexRetriever(plain, seams.router)
    if seams.extractor is not None:
        wrapped = FilterExtractingRetriever(wrapped, seams.extractor)
    if seams.reranker is not None:
        wrapped = RerankingRetriever(wrapped, seams.reranker)
    return wrapped


_EXTRACTING: Final = {"vocabulary": "filter_vocabulary"}
_RERANKING: Final = {"base_url": "rerank_url", "model": "rerank_model", "api_key": "rerank_api_key"}


def chosen_seams(config: "ServiceConfig | None") -> Seams:
    """What ``config`` (else the environment) names. Raises ``ConfigurationError`` as ``wrap_retriever`` does."""
    from ragspine_pg.config import ServiceConfig

    config = ServiceConfig.load() if config is None else config
    extracting, reranking = _options(config, _EXTRACTING), _options(config, _RERANKING)
    for seam, options, settings in (
        ("filter_extractor", extracting, _EXTRACTING),
        ("reranker", reranking, _RERANKING),
    ):
        if getattr(config, seam) == NONE and options:
            given = ", ".join(variable(settings[option]) for option in options)
            raise ConfigurationError(f"{given} is set, and no {seam}: choose one by {variable(seam)}, or leave it out")
    with set_by("library_router"):
        router = make_library_router(config.library_router)
    with set_by("filter_extractor", **_EXTRACTING):
        extractor = make_filter_extractor(config.filter_extractor, **extracting)
    with set_by("reranker", **_RERANKING):
        reranker = make_reranker(config.reranker, **reranking)
    return Seams(router, extractor, reranker)


def _options(config: "ServiceConfig", settings: Mapping[str, str]) -> dict[str, Any]:
    """The options that are set, by their names; secrets in the clear."""
    values = {option: getattr(config, setting) for option, setting in settings.items()}
    return {
        option: config.secret(settings[option]) if option == "api_key" else value
        for option, value in values.items()
        if value is not None
    }
