"""The read authority: searching and explaining as somebody."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from ragspine_pg.client.opening import models_of, reader, settings_of
from ragspine_pg.client.shell import Shell
from ragspine_pg.client.signer import Signer, grant_key_of
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import Target, open_source
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


class Retriever(Shell):
    """Searches with a reader's login. Usable without any right to write.

    ``grant_key`` signs who a search runs for; ``mode`` is that of a search which names none. ``single_login=True``
    allows a login that row-level security does not bind (an owner's, where there is no second one); results then warn.
    """

    def __init__(
        self,
        source: ConnectionSource,
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
    def open(
        cls,
        target: "Target | None" = None,
        *,
        config: "ServiceConfig | None" = None,
        grant_key: str | None = None,
        single_login: bool = False,
        embedding_models: Iterable[EmbeddingModel] = (),
    ) -> Self:
        """The read authority alone, on ``target`` (else ``RAGSPINE_DATABASE_URL``); see ``RagSpine.open``.

        Raises ``ConfigurationError`` where no database is named.
        """
        config = settings_of(config)
        return cls(
            open_source(reader(target, config), max_connections=config.pool_size),
            grant_key_of(grant_key, config),
            mode=config.retrieval_mode,
            single_login=single_login,
            models=QueryModels(models_of(embedding_models)),
        )

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
        """The k best passages that ``access`` may read.

        ``libraries``: ids to search, None for all that are readable. ``mode``: which legs run; several rankings, of
        legs or libraries, are fused as ``fusion`` says (``"rrf"``, ``"convex"``, a ``Fusion``, or its JSON form as a
        mapping), with ``weights`` of the legs such as ``{"vector": 2}``. ``metadata_filter`` narrows before scoring.
        ``expand="parent"`` adds each hit's parent window. ``min_score`` is the least score of the one leg that runs, or
        of each by its name. ``after=result.cursor`` goes on where that result ended, in the same index versions.
        ``context`` bounds the call in time and in what it spends on models, and can cancel it. ``explain`` fills the
        trace.

        Raises ``QueryError`` (an argument out of range; ``ModeUnavailable``, ``DeadlineExceeded``, ``BudgetExceeded``,
        ``Cancelled``), ``EmbeddingError``, ``UnsafeRole``, ``ConfigurationError`` without a grant key,
        ``UnavailableError``.
        """
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
        return self._drive(flow, read_only=True, context=request.context)

    def explain(
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
        """Why ``document_id`` ranks where it does for this search, or why not, from what ``access`` may read alone.

        Raises as ``search`` does.
        """
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
        return self._drive(flow, read_only=True, context=request.context)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> "BoundRetriever":
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(self, access, library_names(libraries))

    def grant(self, access: Access, *, seconds: int = GRANT_SECONDS) -> str:
        """A signed grant for ``access``, for SQL callers: ``SELECT ragspine.assume($1)``. A bearer token: keep it safe.

        Valid for ``seconds``, at most 86,400. Raises ``ConfigurationError`` without a grant key.
        """
        return self._signer.grant(access, seconds=seconds)

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("retriever")

    @property
    def _plain(self) -> "Retriever":
        """The search path alone, without what a facade's settings put around it."""
        return self


class BoundRetriever:
    """A ``NarrativeRetriever``: one caller's view, for code that should not decide who asks."""

    def __init__(self, retriever: Retriever, access: Access, libraries: tuple[str, ...] | None) -> None:
        self._retriever = retriever
        self._access = access
        self._libraries = libraries

    @property
    def capability(self) -> Capability:
        """What the retriever behind it says of itself."""
        return self._retriever.capability

    def retrieve(
        self,
        query: str | RetrievalQuery,
        context: RetrievalContext | None = None,
        *,
        metadata_filter: MetadataFilter | None = None,
        top_k: int | None = None,
    ) -> SearchResult:
        """The ``top_k`` best passages for ``query`` (by default 10); raises as ``Retriever.search`` does.

        A ``RetrievalQuery`` brings a filter and a number of its own: both filters must hold, and ``top_k`` goes first.
        """
        asked = RetrievalQuery.of(query, metadata_filter, top_k)
        return self._retriever.search(
            asked.text, access=self._access, libraries=self._libraries, context=context, **asked.arguments
        )
