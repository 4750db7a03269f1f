"""A search of the libraries that a router chooses: see ``MultiIndexRetriever``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.result import SearchResult, without_readable_documents
from ragspine_pg.contract.search_request import SearchRequest, library_names
from ragspine_pg.errors import (
    BudgetExceeded,
    Cancelled,
    ConfigurationError,
    DeadlineExceeded,
    GrantInvalid,
    QueryError,
    RagSpineError,
    SeamFailed,
    UnavailableError,
)
from ragspine_pg.retrieval.around import Around, consult, describe, search
from ragspine_pg.retrieval.routing.multi_index import choose_libraries
from ragspine_pg.retrieval.routing.registry import make_library_router

_NO_LIBRARYS_FAULT = (BudgetExceeded, Cancelled, ConfigurationError, DeadlineExceeded, GrantInvalid, UnavailableError)


@dataclass(frozen=True, slots=True)
class Routing:
    """A router, the libraries' weights, and whether what fails is reported."""

    router: LibraryRouter | None
    weights: Mapping[str, float] | None
    reports: bool

    @classmethod
    def of(
        cls, router: LibraryRouter | str | None, library_weights: Mapping[str, float] | None, on_error: str
    ) -> "Routing":
        """Checked. Raises ``ConfigurationError`` and ``QueryError``."""
        if on_error not in ("raise", "report"):
            raise ConfigurationError("on_error is 'raise' or 'report'")
        weights = Fusion(libraries=library_weights).libraries
        return cls(make_library_router(router), weights, on_error == "report")


def search_routed(
    routing: Routing,
    query: str,
    access: Access,
    libraries: str | Iterable[str] | None,
    k: int,
    context: RetrievalContext | None,
    options: Mapping[str, Any],
) -> Around[SearchResult]:
    """Search in the libraries chosen among ``libraries``.

    Raises as ``Retriever.search`` does, and ``SeamFailed``.
    """
    SearchRequest(query=query, k=k)  # refuses what is no query before anybody is asked about it
    context = RetrievalContext() if context is None else context
    asked, warnings = library_names(libraries), []
    chosen = asked
    router = routing.router
    if router is not None and options.get("after") is None:  # a page is of the libraries that the first one was of
        readable = yield from describe(query, access=access, libraries=asked, context=context)
        try:
            chosen = (yield from consult(lambda: choose_libraries(router, query, readable))) or asked
        except SeamFailed:
            if not routing.reports:
                raise
            chosen = tuple(library.library_id for library in readable) or asked
            warnings.append("router_failed")
        if readable:  # the rest is not searched, and so is not missed there
            known = {library.library_id for library in readable}
            warnings += [without_readable_documents(name) for name in asked or () if name not in known]
    arguments = {**options, "access": access, "context": context}
    try:
        result = yield from _search(routing, query, chosen, k, arguments)
    except _NO_LIBRARYS_FAULT:
        raise
    except RagSpineError:
        if not routing.reports:
            raise
        sound, failures = yield from _sort_out(query, chosen, arguments)
        if not sound or not failures:
            raise
        result = yield from _search(routing, query, sound, k, arguments)
        warnings += failures
    return replace(result, warnings=(*result.warnings, *warnings)) if warnings else result


def _search(
    routing: Routing, query: str, libraries: Sequence[str] | None, k: int, arguments: Mapping[str, Any]
) -> Around[SearchResult]:
    if routing.weights is None:
        return (yield from search(query, libraries=libraries, k=k, **arguments))
    fusion = Fusion.of(arguments.get("fusion"))
    if fusion.libraries is not None:
        raise QueryError("weights of libraries are given twice: leave them out of fusion", argument="fusion")
    weighed = {**arguments, "fusion": replace(fusion, libraries=routing.weights)}
    return (yield from search(query, libraries=libraries, k=k, **weighed))


def _sort_out(
    query: str, libraries: Sequence[str] | None, arguments: Mapping[str, Any]
) -> Around[tuple[list[str], list[str]]]:
    """The libraries that can be searched, and a warning for each other one."""
    readable = yield from describe(access=arguments["access"], libraries=libraries, context=arguments["context"])
    sound, failures = [], []
    for library in readable:
        try:
            yield from search(query, libraries=(library.library_id,), k=1, **arguments)
        except _NO_LIBRARYS_FAULT:
            raise
        except RagSpineError as error:
            failures.append(f"library_failed:{library.library_id}:{error.code}")
        else:
            sound.append(library.library_id)
    return sound, failures
