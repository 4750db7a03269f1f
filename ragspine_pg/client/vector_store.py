"""The stored vectors, for callers that embed their queries themselves."""

from collections.abc import Iterable, Sequence

from ragspine_pg.client.retriever import Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import SearchRequest
from ragspine_pg.retrieval.embed import QueryModels
from ragspine_pg.retrieval.pipeline import search


class VectorStore:
    """Searches the vectors of a retriever's libraries by a vector: ``ragspine.search_vector`` of SQL, in Python.

    It only reads. Vectors are written where their texts are, by ``ingest``.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._base = retriever

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("vector_store")

    def search(
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
        """``Retriever.search`` in mode ``vector``, the query embedded already.

        ``query_space`` is the fingerprint of the space that the vector lies in (``EmbeddingSpace.fingerprint``); every
        library that is searched must have it. ``query`` is what the result says was asked; its words play no part.

        Raises as ``Retriever.search`` does; ``QueryError`` for another space, or what is no vector of it.
        """
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
        return base._drive(flow, read_only=True, context=request.context)
