"""A search whose hits a judge orders: see ``RerankingRetriever``."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.ports import Reranker
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import MAX_K, SearchRequest
from ragspine_pg.errors import ConfigurationError, QueryError
from ragspine_pg.retrieval.around import Around, consult, search
from ragspine_pg.retrieval.rerank.order import rerank_result
from ragspine_pg.retrieval.rerank.registry import make_reranker


@dataclass(frozen=True, slots=True)
class Reranking:
    """A judge, and what it is given."""

    reranker: Reranker | None
    candidates: int | None
    seconds: float
    confidential_libraries: frozenset[str]

    @classmethod
    def of(
        cls,
        reranker: Reranker | str | None,
        candidates: int | None,
        seconds: float,
        confidential_libraries: Iterable[str],
    ) -> "Reranking":
        """Checked. Raises ``ConfigurationError``."""
        if candidates is not None and (type(candidates) is not int or not 1 <= candidates <= MAX_K):
            raise ConfigurationError(f"candidates is a whole number from 1 to {MAX_K}")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
            raise ConfigurationError("seconds is a number above 0")
        if isinstance(confidential_libraries, str):
            raise ConfigurationError("confidential_libraries is a collection of ids, not one string")
        return cls(make_reranker(reranker), candidates, float(seconds), frozenset(confidential_libraries))


def search_reranking(
    reranking: Reranking,
    query: str,
    access: Access,
    k: int,
    context: RetrievalContext | None,
    options: Mapping[str, Any],
) -> Around[SearchResult]:
    """Search for candidates and let the judge order them. Raises ``QueryError`` for ``after``."""
    context = RetrievalContext() if context is None else context
    reranker = reranking.reranker
    if reranker is None:
        return (yield from search(query, access=access, k=k, context=context, **options))
    if options.get("after") is not None:
        raise QueryError("a reranked search cannot be continued; ask for a larger k")
    SearchRequest(query=query, k=k)
    depth = max(k, min(5 * k, 100) if reranking.candidates is None else reranking.candidates)
    result = yield from search(query, access=access, k=depth, context=context, **options)
    context.cancellation.check()
    return (
        yield from consult(
            lambda: rerank_result(
                result,
                reranker,
                access,
                k,
                seconds=reranking.seconds,
                context=context,
                confidential_libraries=reranking.confidential_libraries,
            )
        )
    )
