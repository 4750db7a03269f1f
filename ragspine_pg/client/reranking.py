"""Reranking around any retriever."""

from collections.abc import Iterable
from typing import Any, cast

from ragspine_pg.client.around import perform
from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.ports import Reranker, Searcher
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.retrieval.rerank.search import Reranking, search_reranking


class RerankingRetriever:
    """Wraps any retriever: fetches more candidates than asked for, and lets ``reranker`` order them.

    ``reranker`` is a ``Reranker`` or the name of one; ``none`` changes nothing. ``candidates`` is how many are judged,
    by default five times k and at most 100; it is never less than k. A judge has ``seconds``, and never longer than the
    call's deadline.

    Texts reach the judge through the exit ``rerank`` alone: never RESTRICTED ones, and CONFIDENTIAL ones only if it is
    not ``remote`` or their library is among ``confidential_libraries``. A hit that is held back keeps its place, and
    the result warns ``reranker_withheld``. A judge that fails or does not judge every text once costs nothing but time:
    the hits keep their order and the result warns ``reranker_failed:<code>``.

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
        self._base = retriever
        self._reranking = Reranking.of(reranker, candidates, seconds, confidential_libraries)

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("reranking")

    def search(
        self, query: str, *, access: Access, k: int = 10, context: RetrievalContext | None = None, **options: Any
    ) -> SearchResult:
        """``Retriever.search`` with the judge's order; further arguments are handed on.

        Raises as the wrapped retriever's does; ``QueryError`` for ``after``.
        """
        return perform(search_reranking(self._reranking, query, access, k, context, options), self._base.search)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> BoundRetriever:
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(cast("Retriever", self), access, library_names(libraries))
