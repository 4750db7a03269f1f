"""``client.spine``, awaited: both authorities behind one door."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ragspine_pg.async_client.ingestor import AsyncIngestor
from ragspine_pg.async_client.library import AsyncLibrary
from ragspine_pg.async_client.retriever import AsyncRetriever
from ragspine_pg.async_client.wrapping import async_wrapped_in
from ragspine_pg.client.opening import (
    choose_logins,
    index_as,
    migrate_as,
    models_of,
    reading_alone,
    require_older,
    settings_of,
    start_embedded,
)
from ragspine_pg.client.signer import grant_key_of
from ragspine_pg.client.wrapping import NO_SEAMS, Seams, chosen_seams
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import AsyncTarget, open_async_source
from ragspine_pg.connect.target import Target
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.contract.ingest import FoldReport, Statistics
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.ports import AsyncSearcher, Chunker, EmbeddingModel
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import SchemaError
from ragspine_pg.retrieval.embed import QueryModels

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig
    from ragspine_pg.connect.embedded import EmbeddedServer
    from ragspine_pg.schema.migrate import Migrated


class AsyncRagSpine(AsyncRetriever):
    """``RagSpine``, awaited: ``async with await AsyncRagSpine.open() as spine``, with the same calls and results.

    An ``AsyncRetriever``, joined by an ``AsyncIngestor``. For the tasks of one event loop, the one it is first used in;
    in another one a call raises ``ConfigurationError``. Close it by ``aclose``, or use it as a context manager.
    """

    def __init__(
        self,
        source: AsyncConnectionSource,
        grant_key: GrantKey | None,
        ingestor: AsyncIngestor | None,
        *,
        config: "ServiceConfig",
        owner: Any = None,
        server: "EmbeddedServer | None" = None,
        single_login: bool = False,
        models: QueryModels | None = None,
        seams: Seams = NO_SEAMS,
    ) -> None:
        """Use ``open``."""
        super().__init__(source, grant_key, mode=config.retrieval_mode, single_login=single_login, models=models)
        self.config = config
        self._ingestor = ingestor
        self._owner = owner
        self._server = server
        self._seams = seams

    @classmethod
    async def open(
        cls,
        target: "AsyncTarget | None" = None,
        *,
        ingest: "AsyncTarget | None" = None,
        owner: "Target | None" = None,
        config: "ServiceConfig | None" = None,
        grant_key: str | None = None,
        single_login: bool = False,
        embedding_models: Iterable[EmbeddingModel] = (),
    ) -> Self:
        """See ``RagSpine.open``."""
        config = settings_of(config)
        models = models_of(embedding_models)
        seams = await asyncio.to_thread(chosen_seams, config)  # files are read for it
        logins = choose_logins(target, ingest, owner, config, single_login=single_login)
        if logins is None:
            return await cls._open_embedded(config, grant_key, models, seams)
        return cls(
            open_async_source(logins.read, max_connections=config.pool_size),
            grant_key_of(grant_key, config),
            None if logins.write is None else AsyncIngestor._open(logins.write, config, models),
            config=config,
            owner=logins.owner,
            single_login=single_login,
            models=QueryModels(models),
            seams=seams,
        )

    @classmethod
    async def _open_embedded(
        cls, config: "ServiceConfig", grant_key: str | None, models: KnownModels, seams: Seams
    ) -> Self:
        server = await asyncio.to_thread(start_embedded, config, grant_key)
        async with AsyncExitStack() as undone:
            undone.push_async_callback(asyncio.to_thread, server.close)
            spine = cls(
                open_async_source(server.reader_url, max_connections=config.pool_size),
                GrantKey.parse(server.grant_key or ""),
                AsyncIngestor._open(server.ingest_url, config, models),
                config=config,
                owner=server.owner_url,
                server=server,
                models=QueryModels(models),
                seams=seams,
            )
            undone.push_async_callback(spine.aclose)
            if not await spine._is_migrated():
                await spine.migrate()
            undone.pop_all()
        return spine

    async def _is_migrated(self) -> bool:
        try:
            await self.check_schema()
        except SchemaError as error:
            require_older(error, self._server)
            return False
        return True

    async def migrate(self) -> "Migrated":
        """See ``RagSpine.migrate``; it runs in a thread.

        Alembic blocks: the owner is a URL, or a blocking Engine that nobody else uses meanwhile, but no AsyncEngine.
        """
        return await asyncio.to_thread(migrate_as, self._owner, self._server, self.config)

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
        """See ``RagSpine.search``."""
        search: Callable[..., Awaitable[SearchResult]]
        search = super().search if self._plain is self else self._searcher.search
        return await search(
            query,
            access=access,
            libraries=libraries,
            k=k,
            mode=mode,
            metadata_filter=metadata_filter,
            expand=expand,
            weights=weights,
            min_score=min_score,
            fusion=fusion,
            after=after,
            context=context,
            explain=explain,
        )

    @cached_property
    def _plain(self) -> AsyncRetriever:
        """See ``RagSpine._plain``."""
        if self._seams == NO_SEAMS:
            return self
        signer = self._signer
        return AsyncRetriever(
            self._source, signer.key, mode=self._mode, single_login=signer.single_login, models=self._models
        )

    @cached_property
    def _searcher(self) -> AsyncSearcher:
        return async_wrapped_in(self._seams, self._plain)

    @property
    def ingestor(self) -> AsyncIngestor:
        """See ``RagSpine.ingestor``."""
        if self._ingestor is None:
            raise reading_alone()
        return self._ingestor

    @property
    def embedded(self) -> "EmbeddedServer | None":
        """See ``RagSpine.embedded``."""
        return self._server

    async def create_library(
        self,
        tenant: str,
        library_id: str,
        *,
        description: str = "",
        analyzer: str | None = None,
        chunker: str | Chunker | None = None,
        embedding: str | EmbeddingModel | None = None,
        statistics: Statistics | None = None,
        fields: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        profile: Mapping[str, Any] | None = None,
        exist_ok: bool = False,
    ) -> AsyncLibrary:
        """See ``RagSpine.create_library``."""
        await self.ingestor.create_library(
            tenant,
            library_id,
            description=description,
            analyzer=analyzer,
            chunker=chunker,
            embedding=embedding,
            statistics=statistics,
            fields=fields,
            profile=profile,
            exist_ok=exist_ok,
        )
        return AsyncLibrary(self, tenant, library_id)

    async def revoke(self, grant: str) -> bool:
        """See ``RagSpine.revoke``."""
        return await self.ingestor.revoke(grant)

    async def optimize(self, tenant: str, library_id: str) -> FoldReport:
        """See ``RagSpine.optimize``. The index is built from a thread: a cancelled task leaves it to end by itself."""
        report = await self.ingestor.optimize(tenant, library_id)
        return await asyncio.to_thread(index_as, self._owner, report, tenant, library_id)

    def library(self, tenant: str, library_id: str) -> AsyncLibrary:
        """See ``RagSpine.library``."""
        return AsyncLibrary(self, tenant, library_id)

    async def aclose(self) -> None:
        """See ``RagSpine.close``."""
        async with AsyncExitStack() as last:
            if self._server is not None:
                last.push_async_callback(asyncio.to_thread, self._server.close)
            if self._ingestor is not None:
                last.push_async_callback(self._ingestor.aclose)
            await super().aclose()
