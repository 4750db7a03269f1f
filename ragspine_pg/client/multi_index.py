"""Several libraries at once, chosen by a router."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from ragspine_pg.client.around import perform
from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.retrieval.routing.multi_index import describe_libraries
from ragspine_pg.retrieval.routing.search import Routing, search_routed


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
        self._base = retriever
        self._routing = Routing.of(router, library_weights, on_error)

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("multi_index")

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

        Raises as ``Retriever.search`` does, and ``SeamFailed``.
        """
        flow = search_routed(self._routing, query, access, libraries, k, context, options)
        return perform(flow, self._base.search, self.describe)

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
        """The libraries that ``access`` may read, by id, with the words that a router chooses by.

        Raises ``QueryError`` for a query that no search takes.
        """
        flow = describe_libraries(query, library_names(libraries), self._base._signer.identity(access), context)
        return self._base._drive(flow, read_only=True, context=context)
