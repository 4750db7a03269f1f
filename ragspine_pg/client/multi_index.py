"""Several libraries at once, chosen by a router."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import MAX_K, SearchRequest, library_names
from ragspine_pg.errors import (
    Cancelled,
    ConfigurationError,
    DeadlineExceeded,
    GrantInvalid,
    QueryError,
    RagSpineError,
    SeamFailed,
    UnavailableError,
)
from ragspine_pg.retrieval.routing.multi_index import (
    check_weights,
    choose_libraries,
    describe_libraries,
    fuse_libraries,
    holds_best,
)
from ragspine_pg.retrieval.routing.registry import make_library_router
from ragspine_pg.retrieval.shorten import with_hits

_NO_LIBRARYS_FAULT = (Cancelled, ConfigurationError, DeadlineExceeded, GrantInvalid, UnavailableError)


class MultiIndexRetriever:
    """Searches the libraries that ``router`` chooses for each query, in one snapshot, and fuses their rankings.

    ``router`` is a ``LibraryRouter`` or the name of one; ``none`` searches all that were asked for. It chooses among
    the libraries that the caller may read and asked for. ``library_weights`` gives libraries a weight in the fusion
    other than 1. Every hit keeps its ``library_id``; the same chunk in two libraries is two hits.

    ``on_error="report"``: a library that cannot be searched (its index version was built under another locale, it has
    no vectors for the mode) is left out with the warning ``library_failed:<id>:<code>``, and a router that fails is
    replaced by all libraries with the warning ``router_failed``. By default both are errors.
    """

    def __init__(
        self,
        retriever: Retriever,
        router: LibraryRouter | str | None = None,
        *,
        library_weights: Mapping[str, float] | None = None,
        on_error: Literal["raise", "report"] = "raise",
    ) -> None:
        if on_error not in ("raise", "report"):
            raise ConfigurationError("on_error is 'raise' or 'report'")
        self._base = retriever
        self._router = make_library_router(router)
        self._weights = check_weights(library_weights or {})
        self._reports = on_error == "report"

    def search(
        self,
        query: str,
        *,
        access: Access,
        libraries: str | Iterable[str] | None = None,
        k: int = 10,
        context: RetrievalContext | None = None,
        **options: Any,
    ) -> SearchResult:
        """``Retriever.search`` in the libraries chosen among ``libraries``; further arguments are handed on.

        Raises as ``Retriever.search`` does, and ``SeamFailed``; ``QueryError`` for ``after`` beside weights.
        """
        SearchRequest(query=query, k=k)  # refuses what is no query before anybody is asked about it
        context = RetrievalContext() if context is None else context
        asked, warnings = library_names(libraries), []
        chosen = asked
        if self._router is not None:
            readable = self.describe(query, access=access, libraries=asked, context=context)
            try:
                chosen = choose_libraries(self._router, query, readable) or asked
            except SeamFailed:
                if not self._reports:
                    raise
                chosen = tuple(library.library_id for library in readable) or asked
                warnings.append("router_failed")
        arguments = {**options, "access": access, "context": context}
        try:
            result = self._search(query, chosen, k, arguments)
        except _NO_LIBRARYS_FAULT:
            raise
        except RagSpineError:
            if not self._reports:
                raise
            sound, failures = self._sort_out(query, chosen, arguments)
            if not sound or not failures:
                raise
            result = self._search(query, sound, k, arguments)
            warnings += failures
        return replace(result, warnings=(*result.warnings, *warnings)) if warnings else result

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> BoundRetriever:
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(cast("Retriever", self), access, library_names(libraries))

    def describe(
        self,
        query: str | None = None,
        *,
        access: Access,
        libraries: str | Iterable[str] | None = None,
        context: RetrievalContext | None = None,
    ) -> list[LibraryDescription]:
        """The libraries that ``access`` may read, by id, with the words that a router chooses by."""
        context = RetrievalContext() if context is None else context
        identity = self._base._identity(access)
        flow = describe_libraries(
            query,
            library_names(libraries),
            grant=identity.grant,
            single_login=identity.single_login,
            context=context,
        )
        return self._base._drive(flow, read_only=True, context=context)

    def _search(
        self, query: str, libraries: Sequence[str] | None, k: int, arguments: Mapping[str, Any]
    ) -> SearchResult:
        if not self._weights:
            return self._base.search(query, libraries=libraries, k=k, **arguments)
        if arguments.get("after") is not None:
            raise QueryError("a search with weights of libraries cannot be continued; ask for a larger k")
        count = len(libraries) if libraries is not None else 4
        for depth in dict.fromkeys((min(MAX_K, k * max(1, count)), MAX_K)):
            # One call holds each library's best, usually the first: the fusion by the retriever takes them in turns.
            result = self._base.search(query, libraries=libraries, k=depth, **arguments)
            if holds_best(result.hits, result.index_versions, k, depth):
                break
        if len(result.index_versions) < 2:
            return with_hits(result, result.hits[:k], k)
        return with_hits(result, fuse_libraries(result.hits, self._weights, k), k)

    def _sort_out(
        self, query: str, libraries: Sequence[str] | None, arguments: Mapping[str, Any]
    ) -> tuple[list[str], list[str]]:
        """The libraries that can be searched, and a warning for each other one."""
        access, context = arguments["access"], arguments["context"]
        readable = self.describe(access=access, libraries=libraries, context=context)
        sound, failures = [], []
        for library in readable:
            try:
                self._base.search(query, libraries=(library.library_id,), k=1, **arguments)
            except _NO_LIBRARYS_FAULT:
                raise
            except RagSpineError as error:
                failures.append(f"library_failed:{library.library_id}:{error.code}")
            else:
                sound.append(library.library_id)
        return sound, failures
