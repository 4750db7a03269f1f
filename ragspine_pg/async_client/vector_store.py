"""``client.vector_store``, awaited: the stored vectors, for callers that embed their queries themselves."""

from collections.abc import Iterable, Sequence

from ragspine_pg.async_client.retriever import AsyncRetriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import SearchRequest
from ragspine_pg.retrieval.embed import QueryModels
from ragspine_pg.retrieval.pipeline import search


class AsyncVectorStore:
    """``VectorStore``, awaited."""

    def __init__(self, retriever: AsyncRetriever) -> None:
        self._base = retriever

    @property
    def capability(self) -> Capability:
        """See ``VectorStore.capability``."""
        return reading("vector_store")

    async def search(
        self,
        query_embedding: Sequence[float],
        *,
        query_space: str,
        access: Access,
        query: str = "",
        libraries: str | Iterable[str] | None = None,
        k: int = 10,
        metadata_filter: MetadataFilter | None = None,
        expand: str | None = None,
        min_score: float | None = None,
        after: str | None = None,
        context: RetrievalContext | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """See ``VectorStore.search``."""
        request = SearchRequest.of(
            query,
            libraries=libraries,
            k=k,
            mode=RetrievalMode.VECTOR,
            metadata_filter=metadata_filter,
            expand=expand,
            min_score=min_score,
            after=after,
            context=context,
            explain=explain,
        )
        base = self._base._plain
        models = QueryModels.of_vector(query_embedding, query_space, base._models)
        flow = search(request, base._signer.identity(access), models)
        return await base._drive(flow, read_only=True, context=request.context)
