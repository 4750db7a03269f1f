"""One library, with both authorities at hand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.explanation import Explanation
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.ingest import (
    UNCHANGED,
    FoldReport,
    IngestReport,
    LibraryStats,
    OnDuplicate,
    RebuildReport,
    Statistics,
    Unchanged,
    VersionInfo,
)
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.name import require_name
from ragspine_pg.contract.ports import Chunker, EmbeddingModel
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.ingest.progress import OnProgress

if TYPE_CHECKING:
    from ragspine_pg.client.spine import RagSpine


@dataclass(frozen=True, slots=True)
class Library:
    """A library by its name; the calls are those of ``Ingestor`` and ``Retriever``, with the name filled in.

    Raises ``ConfigurationError`` for what can be no name.
    """

    spine: "RagSpine"
    tenant: str
    library_id: str

    def __post_init__(self) -> None:
        require_name("tenant", self.tenant, ConfigurationError)
        require_name("library_id", self.library_id, ConfigurationError)

    def ingest(
        self,
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
        return self.spine.ingestor.ingest(
            self.tenant,
            self.library_id,
            documents_or_paths,
            readers=readers,
            sensitivity=sensitivity,
            metadata=metadata,
            on_duplicate=on_duplicate,
            chunker=chunker,
            progress=progress,
        )

    def delete(self, document_id: str) -> bool:
        """See ``Ingestor.delete``."""
        return self.spine.ingestor.delete(self.tenant, self.library_id, document_id)

    def drop(self) -> int:
        """See ``Ingestor.drop_library``."""
        return self.spine.ingestor.drop_library(self.tenant, self.library_id)

    def relabel(
        self,
        document_id: str,
        *,
        readers: Iterable[str] | Unchanged | None = UNCHANGED,
        sensitivity: Sensitivity | str | Unchanged = UNCHANGED,
    ) -> bool:
        """See ``Ingestor.relabel``: ``readers=None`` opens it to every member, an empty set to nobody."""
        return self.spine.ingestor.relabel(
            self.tenant, self.library_id, document_id, readers=readers, sensitivity=sensitivity
        )

    def versions(self) -> list[VersionInfo]:
        """See ``Ingestor.versions``."""
        return self.spine.ingestor.versions(self.tenant, self.library_id)

    def rebuild(
        self,
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
        return self.spine.ingestor.rebuild(
            self.tenant,
            self.library_id,
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
            progress=progress,
        )

    def publish(
        self, version: int, *, chunker: Chunker | None = None, progress: OnProgress | None = None
    ) -> VersionInfo:
        """See ``Ingestor.publish``."""
        return self.spine.ingestor.publish(self.tenant, self.library_id, version, chunker=chunker, progress=progress)

    def rollback(self, *, chunker: Chunker | None = None, progress: OnProgress | None = None) -> VersionInfo:
        """See ``Ingestor.rollback``."""
        return self.spine.ingestor.rollback(self.tenant, self.library_id, chunker=chunker, progress=progress)

    def optimize(self) -> FoldReport:
        """See ``RagSpine.optimize``."""
        return self.spine.optimize(self.tenant, self.library_id)

    def stats(self) -> LibraryStats:
        """See ``Ingestor.stats``."""
        return self.spine.ingestor.stats(self.tenant, self.library_id)

    def search(
        self,
        query: str,
        *,
        access: Access,
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
        """``Retriever.search`` in this library alone; nothing is readable for an ``access`` of another tenant."""
        return self.spine.search(
            query,
            access=access_in(self.tenant, access),
            libraries=(self.library_id,),
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

    def explain(
        self,
        query: str,
        *,
        access: Access,
        document_id: str,
        k: int = 10,
        mode: RetrievalMode | str | None = None,
        metadata_filter: MetadataFilter | None = None,
        weights: Mapping[str, float] | None = None,
        min_score: float | Mapping[str, float] | None = None,
        fusion: Fusion | str | Mapping[str, Any] | None = None,
        context: RetrievalContext | None = None,
    ) -> Explanation:
        """``Retriever.explain`` in this library."""
        return self.spine.explain(
            query,
            access=access_in(self.tenant, access),
            library_id=self.library_id,
            document_id=document_id,
            k=k,
            mode=mode,
            metadata_filter=metadata_filter,
            weights=weights,
            min_score=min_score,
            fusion=fusion,
            context=context,
        )


def access_in(tenant: str, access: Access) -> Access:
    """Another tenant's library of the same name is not this one: its members are nobody here."""
    if isinstance(access, Access) and access.tenant != tenant:
        return Access(tenant)
    return access  # what is no Access is refused where every search is
