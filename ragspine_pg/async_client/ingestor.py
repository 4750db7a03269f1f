"""``client.ingestor``, awaited: the write authority."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ragspine_pg.async_client.on_loop import on_loop
from ragspine_pg.async_client.shell import AsyncShell
from ragspine_pg.client.defaults import LibraryDefaults
from ragspine_pg.client.opening import models_of, settings_of, writer
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.async_target import AsyncTarget, open_async_source
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.explanation import Explanation
from ragspine_pg.contract.ingest import (
    UNCHANGED,
    FoldReport,
    IngestReport,
    LibraryInfo,
    LibraryStats,
    OnDuplicate,
    RebuildReport,
    Statistics,
    Unchanged,
    VersionInfo,
)
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.ingest import pipeline, versioning
from ragspine_pg.ingest.again import ingest_again
from ragspine_pg.ingest.change import ProfileChanges
from ragspine_pg.ingest.documents import Documents
from ragspine_pg.ingest.progress import OnProgress
from ragspine_pg.ingest.revoke import revoke_grant
from ragspine_pg.retrieval.explain import explain_rights

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig


class AsyncIngestor(AsyncShell):
    """``Ingestor``, awaited; for the tasks of one event loop.

    Documents are read, cut, hashed and embedded in threads, ``progress`` is called on the loop. A call whose task is
    cancelled stores nothing.
    """

    def __init__(
        self,
        source: AsyncConnectionSource,
        *,
        analyzer: str = "english",
        chunker: str | Chunker = "default",
        embedding: str | EmbeddingModel = "none",
        models: KnownModels | None = None,
    ) -> None:
        super().__init__(source)
        self._models = KnownModels() if models is None else models
        self._defaults = LibraryDefaults(analyzer, chunker, embedding, self._models)

    @classmethod
    async def open(
        cls,
        target: "AsyncTarget | None" = None,
        *,
        config: "ServiceConfig | None" = None,
        embedding_models: Iterable[EmbeddingModel] = (),
    ) -> Self:
        """See ``Ingestor.open``."""
        config = settings_of(config)
        return cls._open(writer(target, config), config, models_of(embedding_models))

    @classmethod
    def _open(cls, target: "AsyncTarget", config: "ServiceConfig", models: KnownModels) -> Self:
        """See ``Ingestor._open``."""
        source = open_async_source(target, max_connections=config.pool_size)
        return cls(
            source,
            analyzer=config.analyzer,
            chunker=config.chunker,
            embedding=config.embedding,
            models=models,
        )

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
    ) -> VersionInfo:
        """See ``Ingestor.create_library``."""
        flow = self._defaults.create(
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
        return await self._drive(flow, read_only=False)

    async def ingest(
        self,
        tenant: str,
        library_id: str,
        documents_or_paths: Iterable[Document | str | Path],
        *,
        readers: Iterable[str] | None = None,
        sensitivity: Sensitivity | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_duplicate: OnDuplicate = "error",
        chunker: Chunker | None = None,
        progress: OnProgress | None = None,
    ) -> IngestReport:
        """See ``Ingestor.ingest``."""
        documents = Documents(documents_or_paths, readers=readers, sensitivity=sensitivity, metadata=metadata)
        ingest = partial(
            pipeline.ingest,
            tenant,
            library_id,
            models=self._models,
            chunker=chunker,
            on_duplicate=on_duplicate,
            progress=on_loop(progress),
        )
        return await self._drive_job(ingest_again(documents, ingest))

    async def delete(self, tenant: str, library_id: str, document_id: str) -> bool:
        """See ``Ingestor.delete``."""
        return await self._drive(pipeline.delete_document(tenant, library_id, document_id), read_only=False)

    async def relabel(
        self,
        tenant: str,
        library_id: str,
        document_id: str,
        *,
        readers: Iterable[str] | Unchanged | None = UNCHANGED,
        sensitivity: Sensitivity | str | Unchanged = UNCHANGED,
    ) -> bool:
        """See ``Ingestor.relabel``: ``readers=None`` opens it to every member, an empty set to nobody."""
        flow = pipeline.relabel_document(
            tenant, library_id, document_id, models=self._models, readers=readers, sensitivity=sensitivity
        )
        return await self._drive(flow, read_only=False)

    async def revoke(self, grant: str) -> bool:
        """See ``Ingestor.revoke``."""
        return await self._drive(revoke_grant(grant), read_only=False)

    async def libraries(self, tenant: str | None = None) -> list[LibraryInfo]:
        """See ``Ingestor.libraries``."""
        return await self._drive(pipeline.list_libraries(tenant), read_only=True)

    async def drop_library(self, tenant: str, library_id: str) -> int:
        """See ``Ingestor.drop_library``."""
        return await self._drive(pipeline.drop_library(tenant, library_id), read_only=False)

    async def versions(self, tenant: str, library_id: str) -> list[VersionInfo]:
        """See ``Ingestor.versions``."""
        return await self._drive(pipeline.list_versions(tenant, library_id), read_only=True)

    async def rebuild(
        self,
        tenant: str,
        library_id: str,
        *,
        analyzer: str | None = None,
        chunker: str | Chunker | None = None,
        chunker_options: Mapping[str, Any] | None = None,
        embedding: str | EmbeddingModel | None = None,
        embedding_options: Mapping[str, Any] | None = None,
        statistics: Statistics | None = None,
        k1: float | None = None,
        b: float | None = None,
        pivot: float | str | None = None,
        title_weight: int | None = None,
        fusion: str | Mapping[str, Any] | None = None,
        embed_confidential: bool | None = None,
        progress: OnProgress | None = None,
    ) -> RebuildReport:
        """See ``Ingestor.rebuild``."""
        changes = ProfileChanges(
            analyzer=analyzer,
            chunker=chunker,
            chunker_options=chunker_options,
            embedding=embedding,
            embedding_options=embedding_options,
            statistics=statistics,
            k1=k1,
            b=b,
            pivot=pivot,
            title_weight=title_weight,
            fusion=fusion,
            embed_confidential=embed_confidential,
        )
        job = versioning.rebuild(tenant, library_id, changes, models=self._models, progress=on_loop(progress))
        return await self._drive_job(job)

    async def publish(
        self,
        tenant: str,
        library_id: str,
        version: int,
        *,
        chunker: Chunker | None = None,
        progress: OnProgress | None = None,
    ) -> VersionInfo:
        """See ``Ingestor.publish``."""
        job = versioning.publish(
            tenant, library_id, version, models=self._models, chunker=chunker, progress=on_loop(progress)
        )
        return await self._drive_job(job)

    async def rollback(
        self,
        tenant: str,
        library_id: str,
        *,
        chunker: Chunker | None = None,
        progress: OnProgress | None = None,
    ) -> VersionInfo:
        """See ``Ingestor.rollback``."""
        job = versioning.roll_back(tenant, library_id, models=self._models, chunker=chunker, progress=on_loop(progress))
        return await self._drive_job(job)

    async def optimize(self, tenant: str, library_id: str) -> FoldReport:
        """See ``Ingestor.optimize``."""
        return await self._drive(pipeline.optimize(tenant, library_id), read_only=False)

    async def stats(self, tenant: str, library_id: str) -> LibraryStats:
        """See ``Ingestor.stats``."""
        return await self._drive(pipeline.stats(tenant, library_id), read_only=True)

    async def explain_rights(self, explanation: Explanation, access: Access) -> Explanation:
        """See ``Ingestor.explain_rights``."""
        return await self._drive(explain_rights(explanation, access), read_only=True)
