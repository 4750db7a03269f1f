"""Retrievers of one mode, around any other."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.contract.ports import Searcher
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.errors import QueryError


def in_mode(mode: RetrievalMode, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search in that mode. Raises ``QueryError`` for one that asks for another."""
    if make_retrieval_mode(options.get("mode") or mode) is not mode:
        raise QueryError(f"this retriever searches in mode {mode.value} alone", argument="mode")
    return {**options, "mode": mode}


class VectorRetriever:
    """``retriever`` in mode ``vector``: by similarity alone, each library's query embedded by its own model."""

    def __init__(self, retriever: Searcher) -> None:
        self._base = retriever

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("vector")

    def search(
        self, query: str, *, access: Access, metadata_filter: MetadataFilter | None = None, **options: Any
    ) -> SearchResult:
        """``Retriever.search`` by vectors; further arguments are handed on. Raises as it does."""
        given = in_mode(RetrievalMode.VECTOR, options)
        return self._base.search(query, access=access, metadata_filter=metadata_filter, **given)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> BoundRetriever:
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(cast("Retriever", self), access, library_names(libraries))


class HybridRetriever:
    """``retriever`` in mode ``hybrid``: both legs in one snapshot, fused.

    ``weights`` of the legs and ``fusion`` are those of the calls that name none.
    """

    def __init__(
        self,
        retriever: Searcher,
        *,
        weights: Mapping[str, float] | None = None,
        fusion: Fusion | str | Mapping[str, Any] | None = None,
    ) -> None:
        self._base = retriever
        self._options = {"weights": None if weights is None else dict(weights), "fusion": fusion}

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("hybrid")

    def search(
        self, query: str, *, access: Access, metadata_filter: MetadataFilter | None = None, **options: Any
    ) -> SearchResult:
        """``Retriever.search`` by both legs; further arguments are handed on. Raises as it does."""
        given = in_mode(RetrievalMode.HYBRID, {**self._options, **options})
        return self._base.search(query, access=access, metadata_filter=metadata_filter, **given)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> BoundRetriever:
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(cast("Retriever", self), access, library_names(libraries))
