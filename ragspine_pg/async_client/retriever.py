"""``client.retriever``, awaited: the read authority."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from ragspine_pg.async_client.shell import AsyncShell
from ragspine_pg.client.opening import models_of, reader, settings_of
from ragspine_pg.client.signer import Signer, grant_key_of
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import AsyncTarget, open_async_source
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.explanation import Explanation
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.grant import GRANT_SECONDS, GrantKey
from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.contract.query import RetrievalQuery
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import SearchRequest, library_names
from ragspine_pg.retrieval import explain as explaining
from ragspine_pg.retrieval.embed import QueryModels
from ragspine_pg.retrieval.pipeline import search

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig


class AsyncRetriever(AsyncShell):
    """``Retriever``, awaited; for the tasks of one event loop.

    Models are called in threads of the loop's default executor. A call whose task is cancelled stops its statement.
    """

    def __init__(
        self,
        source: AsyncConnectionSource,
        grant_key: GrantKey | None,
        *,
        mode: RetrievalMode | str = RetrievalMode.AUTO,
        single_login: bool = False,
        models: QueryModels | None = None,
    ) -> None:
        super().__init__(source)
        self._models = QueryModels() if models is None else models
        self._signer = Signer(grant_key, single_login)
        self._mode = make_retrieval_mode(mode)

    @classmethod
    async def open(
        cls,
        target: "AsyncTarget | None" = None,
        *,
        config: "ServiceConfig | None" = None,
        grant_key: str | None = None,
        single_login: bool = False,
        embedding_models: Iterable[EmbeddingModel] = (),
    ) -> Self:
        """See ``Retriever.open``."""
        config = settings_of(config)
        return cls(
            open_async_source(reader(target, config), max_connections=config.pool_size),
            grant_key_of(grant_key, config),
            mode=config.retrieval_mode,
            single_login=single_login,
            models=QueryModels(models_of(embedding_models)),
        )

    async def search(
        self,
        query: str,
        *,
        access: Access,
        libraries: str | Iterable[str] | None = None,
        k: int = 10,
        mode: RetrievalMode | str | None = None,
        metadata_filter: MetadataFilter | None = None,
        expand: str | None = None,
        weights: Mapping[str, float] | None = None,
        min_score: float | Mapping[str, float] | None = None,
        fusion: Fusion | str | Mapping[str, Any] | None = None,
        after: str | None = None,
        context: RetrievalContext | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """See ``Retriever.search``."""
        request = SearchRequest.of(
            query,
            libraries=libraries,
            k=k,
            mode=self._mode if mode is None else mode,
            metadata_filter=metadata_filter,
            expand=expand,
            weights=weights,
            min_score=min_score,
            fusion=fusion,
            after=after,
            context=context,
            explain=explain,
        )
        flow = search(request, self._signer.identity(access), self._models)
        return await self._drive(flow, read_only=True, context=request.context)

    async def explain(
        self,
        query: str,
        *,
        access: Access,
        library_id: str,
        document_id: str,
        k: int = 10,
        mode: RetrievalMode | str | None = None,
        metadata_filter: MetadataFilter | None = None,
        weights: Mapping[str, float] | None = None,
        min_score: float | Mapping[str, float] | None = None,
        fusion: Fusion | str | Mapping[str, Any] | None = None,
        context: RetrievalContext | None = None,
    ) -> Explanation:
        """See ``Retriever.explain``."""
        request = SearchRequest.of(
            query,
            libraries=(library_id,),
            k=k,
            mode=self._mode if mode is None else mode,
            metadata_filter=metadata_filter,
            weights=weights,
            min_score=min_score,
            fusion=fusion,
            context=context,
        )
        flow = explaining.explain(request, self._signer.identity(access), self._models, library_id, document_id)
        return await self._drive(flow, read_only=True, context=request.context)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> "AsyncBoundRetriever":
        """See ``Retriever.retriever``."""
        return AsyncBoundRetriever(self, access, library_names(libraries))

    def grant(self, access: Access, *, seconds: int = GRANT_SECONDS) -> str:
        """See ``Retriever.grant``."""
        return self._signer.grant(access, seconds=seconds)

    @property
    def capability(self) -> Capability:
        """See ``Retriever.capability``."""
        return reading("retriever")

    @property
    def _plain(self) -> "AsyncRetriever":
        """See ``Retriever._plain``."""
        return self


class AsyncBoundRetriever:
    """``BoundRetriever``, awaited: an ``AsyncNarrativeRetriever``."""

    def __init__(self, retriever: AsyncRetriever, access: Access, libraries: tuple[str, ...] | None) -> None:
        self._retriever = retriever
        self._access = access
        self._libraries = libraries

    @property
    def capability(self) -> Capability:
        """See ``BoundRetriever.capability``."""
        return self._retriever.capability

    async def retrieve(
        self,
        query: str | RetrievalQuery,
        context: RetrievalContext | None = None,
        *,
        metadata_filter: MetadataFilter | None = None,
        top_k: int | None = None,
    ) -> SearchResult:
        """See ``BoundRetriever.retrieve``."""
        asked = RetrievalQuery.of(query, metadata_filter, top_k)
        return await self._retriever.search(
            asked.text, access=self._access, libraries=self._libraries, context=context, **asked.arguments
        )
