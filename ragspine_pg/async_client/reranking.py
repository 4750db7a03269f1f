"""``client.reranking``, awaited."""

from collections.abc import Iterable
from typing import Any, cast

from ragspine_pg.async_client.around import perform
from ragspine_pg.async_client.retriever import AsyncBoundRetriever, AsyncRetriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.ports import AsyncSearcher, Reranker
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.retrieval.rerank.search import Reranking, search_reranking


class AsyncRerankingRetriever:
    """``RerankingRetriever``, awaited; the judge is called in a thread."""

    def __init__(
        self,
        retriever: AsyncSearcher,
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
        """See ``RerankingRetriever.capability``."""
        return reading("reranking")

    async def search(
        self, query: str, *, access: Access, k: int = 10, context: RetrievalContext | None = None, **options: Any
    ) -> SearchResult:
        """See ``RerankingRetriever.search``."""
        return await perform(search_reranking(self._reranking, query, access, k, context, options), self._base.search)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> AsyncBoundRetriever:
        """See ``RerankingRetriever.retriever``."""
        return AsyncBoundRetriever(cast("AsyncRetriever", self), access, library_names(libraries))
