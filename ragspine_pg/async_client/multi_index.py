"""``client.multi_index``, awaited."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from ragspine_pg.async_client.around import perform
from ragspine_pg.async_client.retriever import AsyncBoundRetriever, AsyncRetriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.retrieval.routing.multi_index import describe_libraries
from ragspine_pg.retrieval.routing.search import Routing, search_routed


class AsyncMultiIndexRetriever:
    """``MultiIndexRetriever``, awaited; the router is called in a thread."""

    def __init__(
        self,
        retriever: AsyncRetriever,
        router: LibraryRouter | str | None = None,
        *,
        library_weights: Mapping[str, float] | None = None,
        on_error: Literal["raise", "report"] = "raise",
    ) -> None:
        self._base = retriever
        self._routing = Routing.of(router, library_weights, on_error)

    @property
    def capability(self) -> Capability:
        """See ``MultiIndexRetriever.capability``."""
        return reading("multi_index")

    async def search(
        self,
        query: str,
        *,
        access: Access,
        libraries: str | Iterable[str] | None = None,
        k: int = 10,
        context: RetrievalContext | None = None,
        **options: Any,
    ) -> SearchResult:
        """See ``MultiIndexRetriever.search``."""
        flow = search_routed(self._routing, query, access, libraries, k, context, options)
        return await perform(flow, self._base.search, self.describe)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> AsyncBoundRetriever:
        """See ``MultiIndexRetriever.retriever``."""
        return AsyncBoundRetriever(cast("AsyncRetriever", self), access, library_names(libraries))

    async def describe(
        self,
        query: str | None = None,
        *,
        access: Access,
        libraries: str | Iterable[str] | None = None,
        context: RetrievalContext | None = None,
    ) -> list[LibraryDescription]:
        """See ``MultiIndexRetriever.describe``."""
        flow = describe_libraries(query, library_names(libraries), self._base._signer.identity(access), context)
        return await self._base._drive(flow, read_only=True, context=context)
