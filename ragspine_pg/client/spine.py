"""Both authorities behind one door, and how it is opened."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ragspine_pg.client.ingestor import Ingestor
from ragspine_pg.client.library import Library
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
from ragspine_pg.client.retriever import Retriever
from ragspine_pg.client.signer import grant_key_of
from ragspine_pg.client.wrapping import NO_SEAMS, Seams, chosen_seams, wrapped_in
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import Target, open_source
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.contract.ingest import FoldReport, Statistics
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.ports import Chunker, EmbeddingModel, Searcher
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import SchemaError
from ragspine_pg.retrieval.embed import QueryModels

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig
    from ragspine_pg.connect.embedded import EmbeddedServer
    from ragspine_pg.schema.migrate import Migrated


class RagSpine(Retriever):
    """Retrieval inside your own PostgreSQL: ``RagSpine.open()``, then ``create_library``, ``ingest``, ``search``.

    A ``Retriever``, joined by an ``Ingestor`` with a login of its own for everything that writes; each is usable alone.
    Its searches go through the router, filter extractor and reranker that the settings name (none by default).
    Safe to share between threads. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        source: ConnectionSource,
        grant_key: GrantKey | None,
        ingestor: Ingestor | None,
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
    def open(
        cls,
        target: "Target | None" = None,
        *,
        ingest: "Target | None" = None,
        owner: "Target | None" = None,
        config: "ServiceConfig | None" = None,
        grant_key: str | None = None,
        single_login: bool = False,
        embedding_models: Iterable[EmbeddingModel] = (),
    ) -> Self:
        """Open a database: your own, or the embedded server.

        ``target`` reads (else ``RAGSPINE_DATABASE_URL``), ``ingest`` writes (``RAGSPINE_INGEST_URL``), ``owner``
        migrates (``RAGSPINE_OWNER_URL``): URLs, SQLAlchemy Engines, Connections or Sessions, psycopg connections or
        pools. What is handed in is never closed. Nothing is migrated and nothing connected before the first call.

        Without any, the embedded server starts in ``RAGSPINE_HOME``, migrates itself, and fills all three.

        ``single_login=True``: one login, ``target``'s, for everything; searches then go without the database's
        backstop. ``embedding_models``: models that libraries were embedded by and that ``make_embedding_model`` cannot
        make by name.

        Raises ``ConfigurationError`` for settings that do not go together, or name what there is not.
        """
        config = settings_of(config)
        models = models_of(embedding_models)
        seams = chosen_seams(config)
        logins = choose_logins(target, ingest, owner, config, single_login=single_login)
        if logins is None:
            return cls._open_embedded(config, grant_key, models, seams)
        return cls(
            open_source(logins.read, max_connections=config.pool_size),
            grant_key_of(grant_key, config),
            None if logins.write is None else Ingestor._open(logins.write, config, models),
            config=config,
            owner=logins.owner,
            single_login=single_login,
            models=QueryModels(models),
            seams=seams,
        )

    @classmethod
    def _open_embedded(cls, config: "ServiceConfig", grant_key: str | None, models: KnownModels, seams: Seams) -> Self:
        server = start_embedded(config, grant_key)
        with ExitStack() as undone:
            undone.callback(server.close)
            spine = cls(
                open_source(server.reader_url, max_connections=config.pool_size),
                GrantKey.parse(server.grant_key or ""),
                Ingestor._open(server.ingest_url, config, models),
                config=config,
                owner=server.owner_url,
                server=server,
                models=QueryModels(models),
                seams=seams,
            )
            undone.callback(spine.close)
            if not spine._is_migrated():
                spine.migrate()
            undone.pop_all()
        return spine

    def _is_migrated(self) -> bool:
        try:
            self.check_schema()
        except SchemaError as error:
            require_older(error, self._server)
            return False
        return True

    def migrate(self) -> "Migrated":
        """Create or upgrade schema ``ragspine`` as its owner; harmless when nothing is left to do.

        The result holds a new grant key when one was made: keep it as ``RAGSPINE_GRANT_KEY``, it is not shown again.
        Raises ``ConfigurationError`` without an owner, ``SchemaError``.
        """
        return migrate_as(self._owner, self._server, self.config)

    def search(
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
        """``Retriever.search`` through what the settings put around it (see ``wrap_retriever``); by default, nothing.

        Raises as ``Retriever.search`` does; with such settings ``SeamFailed``, too.
        """
        search = super().search if self._plain is self else self._searcher.search
        return search(
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
    def _plain(self) -> Retriever:
        """The search path alone: what the settings put around it must go around something else than ``search``."""
        if self._seams == NO_SEAMS:
            return self
        signer = self._signer
        return Retriever(
            self._source, signer.key, mode=self._mode, single_login=signer.single_login, models=self._models
        )

    @cached_property
    def _searcher(self) -> Searcher:
        return wrapped_in(self._seams, self._plain)

    @property
    def ingestor(self) -> Ingestor:
        """The write authority. Raises ``ConfigurationError`` when this facade was opened for reading alone."""
        if self._ingestor is None:
            raise reading_alone()
        return self._ingestor

    @property
    def embedded(self) -> "EmbeddedServer | None":
        """The embedded server, where there is one."""
        return self._server

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
    ) -> Library:
        """Make a library and give it back; arguments and errors as in ``Ingestor.create_library``."""
        self.ingestor.create_library(
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
        return Library(self, tenant, library_id)

    def revoke(self, grant: str) -> bool:
        """See ``Ingestor.revoke``: takes a grant back that ``grant`` has signed."""
        return self.ingestor.revoke(grant)

    def optimize(self, tenant: str, library_id: str) -> FoldReport:
        """``Ingestor.optimize``, and with an owner at hand the HNSW index of a version that is large enough for one.

        Building takes about a second for 2,000 vectors of 384 dimensions; nobody else waits for it. An owner that
        cannot build one (a SQLAlchemy Connection or Session, an AsyncEngine, a connection inside a transaction) is told
        of in the report. Raises ``NotFound``, ``UnavailableError``.
        """
        report = self.ingestor.optimize(tenant, library_id)
        return index_as(self._owner, report, tenant, library_id)

    def library(self, tenant: str, library_id: str) -> Library:
        """A library by its name; that it exists shows with the first call."""
        return Library(self, tenant, library_id)

    def close(self) -> None:
        """Close what is ours; the last user of an embedded server stops it. Closing twice is fine."""
        with ExitStack() as last:  # each of them, whatever the one before raises
            if self._server is not None:
                last.callback(self._server.close)
            if self._ingestor is not None:
                last.callback(self._ingestor.close)
            super().close()
