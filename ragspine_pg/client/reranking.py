"""Reranking around any retriever."""

from collections.abc import Iterable
from typing import Any, cast

from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.ports import Reranker, Searcher
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import MAX_K, SearchRequest, library_names
from ragspine_pg.errors import ConfigurationError, QueryError
from ragspine_pg.retrieval.rerank.order import rerank_result
from ragspine_pg.retrieval.rerank.registry import make_reranker


class RerankingRetriever:
    """Wraps any retriever: fetches more candidates than asked for, and lets ``reranker`` order them.

    ``reranker`` is a ``Reranker`` or the name of one; ``none`` changes nothing. ``candidates`` is how many are judged,
    by default five times k and at most 100; it is never less than k. A judge has ``seconds``, and never longer than the
    call's deadline.

    Texts reach the judge through the exit ``rerank`` alone: never RESTRICTED ones, and CONFIDENTIAL ones only if it is
    not ``remote`` or their library is among ``confidential_libraries``. A hit that is held back keeps its place, and
    the result warns ``reranker_withheld``. A judge that fails or does not judge every text once costs nothing but time:
    the hits keep their order and the result warns ``reranker_failed``.

    Of a judged hit, ``score`` is the judge's; ``scores`` and ``ranks`` hold it as ``rerank`` and what it was before as
    ``fused``. Such a result cannot be continued: ask for a larger k.
    """

    def __init__(
        self,
        retriever: Searcher,
        reranker: Reranker | str | None = None,
        *,
        candidates: int | None = None,
        seconds: float = 10.0,
        confidential_libraries: Iterable[str] = (),
    ) -> None:
        if candidates is not None and (type(candidates) is not int or not 1 <= candidates <= MAX_K):
            raise ConfigurationError(f"candidates is a whole number from 1 to {MAX_K}")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
            raise ConfigurationError("seconds is a number above 0")
        if isinstance(confidential_libraries, str):
            raise ConfigurationError("confidential_libraries is a collection of ids, not one string")
        self._base = retriever
        self._reranker = make_reranker(reranker)
        self._candidates = candidates
        self._seconds = float(seconds)
        self._confidential = frozenset(confidential_libraries)

    def search(
        self, query: str, *, access: Access, k: int = 10, context: RetrievalContext | None = None, **options: Any
    ) -> SearchResult:
        """``Retriever.search`` with the judge's order; further arguments are handed on.

        Raises as the wrapped retriever's does; ``QueryError`` for ``after``.
        """
        context = RetrievalContext() if context is None else context
        if self._reranker is None:
            return self._base.search(query, access=access, k=k, context=context, **options)
        if options.get("after") is not None:
            raise QueryError("a reranked search cannot be continued; ask for a larger k")
        SearchRequest(query=query, k=k)
        depth = max(k, min(5 * k, 100) if self._candidates is None else self._candidates)
        result = self._base.search(query, access=access, k=depth, context=context, **options)
        context.cancellation.check()
        return rerank_result(
            result,
            self._reranker,
            access,
            k,
            seconds=self._seconds,
            deadline=context.deadline,
            confidential_libraries=self._confidential,
        )

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> BoundRetriever:
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(cast("Retriever", self), access, library_names(libraries))
