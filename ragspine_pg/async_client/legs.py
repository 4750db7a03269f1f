"""``client.legs``, awaited: retrievers of one mode, around any other."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ragspine_pg.async_client.retriever import AsyncBoundRetriever, AsyncRetriever
from ragspine_pg.client.legs import in_mode
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.ports import AsyncSearcher
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names


class AsyncVectorRetriever:
    """``VectorRetriever``, awaited."""

    def __init__(self, retriever: AsyncSearcher) -> None:
        self._base = retriever

    @property
    def capability(self) -> Capability:
        """See ``VectorRetriever.capability``."""
        return reading("vector")

    async def search(
        self, query: str, *, access: Access, metadata_filter: MetadataFilter | None = None, **options: Any
    ) -> SearchResult:
        """See ``VectorRetriever.search``."""
        given = in_mode(RetrievalMode.VECTOR, options)
        return await self._base.search(query, access=access, metadata_filter=metadata_filter, **given)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> AsyncBoundRetriever:
        """See ``VectorRetriever.retriever``."""
        return AsyncBoundRetriever(cast("AsyncRetriever", self), access, library_names(libraries))


class AsyncHybridRetriever:
    """``HybridRetriever``, awaited."""

    def __init__(
        self,
        retriever: AsyncSearcher,
        *,
        weights: Mapping[str, float] | None = None,
        fusion: Fusion | str | Mapping[str, Any] | None = None,
    ) -> None:
        self._base = retriever
        self._options = {"weights": None if weights is None else dict(weights), "fusion": fusion}

    @property
    def capability(self) -> Capability:
        """See ``HybridRetriever.capability``."""
        return reading("hybrid")

    async def search(
        self, query: str, *, access: Access, metadata_filter: MetadataFilter | None = None, **options: Any
    ) -> SearchResult:
        """See ``HybridRetriever.search``."""
        given = in_mode(RetrievalMode.HYBRID, {**self._options, **options})
        return await self._base.search(query, access=access, metadata_filter=metadata_filter, **given)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> AsyncBoundRetriever:
        """See ``HybridRetriever.retriever``."""
        return AsyncBoundRetriever(cast("AsyncRetriever", self), access, library_names(libraries))
