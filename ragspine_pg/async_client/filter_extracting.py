"""``client.filter_extracting``, awaited."""

from collections.abc import Iterable
from typing import Any, cast

from ragspine_pg.async_client.around import perform
from ragspine_pg.async_client.retriever import AsyncBoundRetriever, AsyncRetriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.ports import AsyncSearcher, FilterExtractor
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.retrieval.filtering.registry import make_filter_extractor
from ragspine_pg.retrieval.filtering.search import search_extracting


class AsyncFilterExtractingRetriever:
    """``FilterExtractingRetriever``, awaited; the extractor is called in a thread."""

    def __init__(
        self, retriever: AsyncSearcher, extractor: FilterExtractor | str | None = None, **options: Any
    ) -> None:
        self._base = retriever
        self._extractor = make_filter_extractor(extractor, **options)

    @property
    def capability(self) -> Capability:
        """See ``FilterExtractingRetriever.capability``."""
        return reading("filter_extracting")

    async def search(
        self, query: str, *, access: Access, metadata_filter: MetadataFilter | None = None, **options: Any
    ) -> SearchResult:
        """See ``FilterExtractingRetriever.search``."""
        flow = search_extracting(self._extractor, query, metadata_filter, {"access": access, **options})
        return await perform(flow, self._base.search)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> AsyncBoundRetriever:
        """See ``FilterExtractingRetriever.retriever``."""
        return AsyncBoundRetriever(cast("AsyncRetriever", self), access, library_names(libraries))
