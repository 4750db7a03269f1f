"""The write authority: libraries and their documents."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ragspine_pg.client.defaults import LibraryDefaults
from ragspine_pg.client.opening import models_of, settings_of, writer
from ragspine_pg.client.shell import Shell
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import Target, open_source
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


class Ingestor(Shell):
    """Writes with an ingest login. Usable without any right to search.

    Every call is one transaction, all of it or nothing, but ``rebuild``, ``publish`` and ``rollback``, which say so.
    ``analyzer`` and ``chunker`` are those of a library that names none.
    """

    def __init__(
        self,
        source: ConnectionSource,
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
    def open(
        cls,
        target: "Target | None" = None,
        *,
        config: "ServiceConfig | None" = None,
        embedding_models: Iterable[EmbeddingModel] = (),
    ) -> Self:
        """The write authority alone, on ``target`` (else ``RAGSPINE_INGEST_URL``).

        Raises ``ConfigurationError`` where no database is named.
        """
        config = settings_of(config)
        return cls._open(writer(target, config), config, models_of(embedding_models))

    @classmethod
    def _open(cls, target: "Target", config: "ServiceConfig", models: KnownModels) -> Self:
        """With models that a ``Retriever`` shares, so that one handed in at ``create_library`` serves searches, too."""
        source = open_source(target, max_connections=config.pool_size)
        return cls(
            source,
            analyzer=config.analyzer,
            chunker=config.chunker,
            embedding=config.embedding,
            models=models,
        )

    def create_library(
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
        """Make an empty library, and its tenant if that is new; its first index version, published.

        ``analyzer``: such as ``italian+fold``, see ``docs/guide/documents.md``. ``chunker``: that, or a name of
        ``make_chunker``. ``embedding``: a name of ``make_embedding_model`` or an ``EmbeddingModel``, else that of the
        settings; ``"none"`` embeds nothing. ``statistics``: BM25 counts what a caller may read (``"class"``, the
        default), or all that is not RESTRICTED (``"library"``: scores tell of words in texts a caller may not read,
        ``docs/security.md``). ``fields``: metadata fields to declare, name to ``string``, ``number``, ``boolean`` or
        ``timestamp``; declared fields are indexed. ``profile`` may set ``k1``, ``b``, ``pivot`` and ``title_weight`` of
        BM25, ``chunker_options`` (such as ``{"size": 1200}``, in code points), ``embedding_options``, the defaults of
        ``fusion`` (``{"method": "convex", "weights": {"vector": 2}}``), and ``embed_confidential`` (True lets a remote
        model see CONFIDENTIAL text). RESTRICTED text reaches no model.

        Raises ``ConfigurationError``, and ``LibraryExists``, which with ``exist_ok`` says what differs. A library that
        is there is accepted then if it is alike in all that is given; what is not given stays as it is there. It takes
        on a new ``description``.
        """
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
        return self._drive(flow, read_only=False)

    def ingest(
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
        """Store and index documents, or the files and folders of documents; searchable when the call returns.

        ``readers`` and ``sensitivity`` replace those of every ``Document``, and are those of files, but for what a line
        of JSONL says itself; ``metadata`` is added under each document's own. What is not given a stored file keeps; a
        ``Document`` without ``readers`` is opened to every member, unless its ``keep`` names them
        (``docs/guide/documents.md``). The report warns of rights that were widened.

        What did not change is left alone. An empty document (neither title nor text) is reported as skipped, and a
        stored one of its id stays as it is. An id twice in one call is an error; with ``on_duplicate="last"`` its last
        document counts, an empty one too.

        ``progress`` is called with a ``Progress`` every few hundred documents and at each stage.

        Where another version is published meanwhile, the documents are read and indexed again for that one; an iterator
        cannot be read again, so that the call then raises ``VersionChanged`` (``retryable``).

        Raises ``NotFound``, ``SourceRefused``, ``InvalidDocument``, ``IngestError``; nothing is stored then.
        """
        documents = Documents(documents_or_paths, readers=readers, sensitivity=sensitivity, metadata=metadata)
        ingest = partial(
            pipeline.ingest,
            tenant,
            library_id,
            models=self._models,
            chunker=chunker,
            on_duplicate=on_duplicate,
            progress=progress,
        )
        return self._drive_job(ingest_again(documents, ingest))

    def delete(self, tenant: str, library_id: str, document_id: str) -> bool:
        """Delete a document from every version; whether there was one.

        Raises ``NotFound`` for an unknown library, ``InvalidDocument`` for what can be no document's id.
        """
        return self._drive(pipeline.delete_document(tenant, library_id, document_id), read_only=False)

    def relabel(
        self,
        tenant: str,
        library_id: str,
        document_id: str,
        *,
        readers: Iterable[str] | Unchanged | None = UNCHANGED,
        sensitivity: Sensitivity | str | Unchanged = UNCHANGED,
    ) -> bool:
        """Change who may read a document or its label; whether that changed it.

        ``readers=None`` opens it to **every member of the tenant**, an empty set closes it to everyone; left out, the
        readers stay as they are. In force for every search that begins after the call returns. Raises ``NotFound``,
        ``InvalidDocument``.
        """
        flow = pipeline.relabel_document(
            tenant, library_id, document_id, models=self._models, readers=readers, sensitivity=sensitivity
        )
        return self._drive(flow, read_only=False)

    def revoke(self, grant: str) -> bool:
        """Take a signed grant back before it expires; False if it had expired or was taken back before.

        In force for every statement that begins after the call returns, but for one of a transaction at REPEATABLE READ
        that had begun. Raises ``GrantInvalid`` for one that does not verify.
        """
        return self._drive(revoke_grant(grant), read_only=False)

    def libraries(self, tenant: str | None = None) -> list[LibraryInfo]:
        """The libraries of a tenant, or of all tenants, by name; empty for a tenant that is unknown."""
        return self._drive(pipeline.list_libraries(tenant), read_only=True)

    def drop_library(self, tenant: str, library_id: str) -> int:
        """Delete a library with all its documents and versions, for good; how many documents it had.

        Waits for writers that are at it; what they stored goes too. Raises ``NotFound``.
        """
        return self._drive(pipeline.drop_library(tenant, library_id), read_only=False)

    def versions(self, tenant: str, library_id: str) -> list[VersionInfo]:
        """The library's index versions, newest first. Raises ``NotFound``."""
        return self._drive(pipeline.list_versions(tenant, library_id), read_only=True)

    def rebuild(
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
        """Index the stored documents anew, in a version of its own, verified and ready for ``publish``.

        The arguments are those of ``create_library`` and of its ``profile``; what is not given stays as it is in the
        published version. ``embedding="none"`` does without vectors. Searches and writes go on meanwhile; documents
        that change are indexed again before the version is published, by this call in passes as long as each leaves at
        most half of what it found, and the rest (the report's ``pending``) by ``publish``.

        Takes many short transactions. A call that failed or was killed leaves what is published untouched, and the same
        call goes on where it ended. A version of another profile that was never published is dropped. On a connection
        that was lent inside a transaction all of it is part of that one.

        Raises ``NotFound``, ``ConfigurationError``, ``EmbeddingError``, ``IngestError``, ``VerificationFailed``, and
        ``VersionNotReady`` when a rebuild with another profile took this one's place.
        """
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
        return self._drive_job(versioning.rebuild(tenant, library_id, changes, models=self._models, progress=progress))

    def publish(
        self,
        tenant: str,
        library_id: str,
        version: int,
        *,
        chunker: Chunker | None = None,
        progress: OnProgress | None = None,
    ) -> VersionInfo:
        """Make a version the one that is searched, once it has all documents as they are; searches change over at once.

        The version must be ``verified``, or ``retired``. The two that were retired last are kept, and cursors go on in
        them; older ones are deleted. ``chunker`` is needed only for one that has no name. Where its embedding model
        cannot be had, what is returned says so in its ``warnings``; a version that lacks documents is refused then.

        Raises ``NotFound``, ``VersionNotReady``, ``EnvironmentChanged``, ``ConfigurationError``, ``EmbeddingError``.
        """
        job = versioning.publish(tenant, library_id, version, models=self._models, chunker=chunker, progress=progress)
        return self._drive_job(job)

    def rollback(
        self,
        tenant: str,
        library_id: str,
        *,
        chunker: Chunker | None = None,
        progress: OnProgress | None = None,
    ) -> VersionInfo:
        """Publish the version that was published before: how documents were indexed then, with the documents of today.

        A second call undoes the first. Raises as ``publish`` does, and ``NotFound`` when there is no earlier version.
        """
        return self._drive_job(
            versioning.roll_back(tenant, library_id, models=self._models, chunker=chunker, progress=progress)
        )

    def optimize(self, tenant: str, library_id: str) -> FoldReport:
        """Fold what writes left behind; answers stay the same, to the byte. Raises ``NotFound``.

        Vector indexes are the owner's to build: see ``RagSpine.optimize``.
        """
        return self._drive(pipeline.optimize(tenant, library_id), read_only=False)

    def stats(self, tenant: str, library_id: str) -> LibraryStats:
        """Numbers about a library over all readers, for its administrator. Raises ``NotFound``."""
        return self._drive(pipeline.stats(tenant, library_id), read_only=True)

    def explain_rights(self, explanation: Explanation, access: Access) -> Explanation:
        """For an administrator's eyes: what ``not_readable`` means in an ``explain`` of ``access``."""
        return self._drive(explain_rights(explanation, access), read_only=True)
