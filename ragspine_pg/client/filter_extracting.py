"""Filters read out of the query, around any retriever."""

from collections.abc import Iterable
from typing import Any, cast

from ragspine_pg.client.around import perform
from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.capability import Capability, reading
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.ports import FilterExtractor, Searcher
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import library_names
from ragspine_pg.retrieval.filtering.registry import make_filter_extractor
from ragspine_pg.retrieval.filtering.search import search_extracting


class FilterExtractingRetriever:
    """Wraps any retriever: narrows each search by the filter that ``extractor`` reads out of the query.

    ``extractor`` is a ``FilterExtractor`` or the name of one; ``none`` changes nothing. What it gives must hold besides
    the caller's own filter, so it never widens, and is reported as the warning ``extracted_filter:<JSON>``. When
    nothing is left the result warns ``extracted_filter_left_nothing``; nothing is searched again without it.
    """

    def __init__(self, retriever: Searcher, extractor: FilterExtractor | str | None = None, **options: Any) -> None:
        self._base = retriever
        self._extractor = make_filter_extractor(extractor, **options)

    @property
    def capability(self) -> Capability:
        """Its name and version; it only reads."""
        return reading("filter_extracting")

    def search(
        self, query: str, *, access: Access, metadata_filter: MetadataFilter | None = None, **options: Any
    ) -> SearchResult:
        """``Retriever.search`` with the extracted filter besides; further arguments are handed on.

        Raises as the wrapped retriever's does, and ``SeamFailed``.
        """
        flow = search_extracting(self._extractor, query, metadata_filter, {"access": access, **options})
        return perform(flow, self._base.search)

    def retriever(self, *, access: Access, libraries: str | Iterable[str] | None = None) -> BoundRetriever:
        """A ``NarrativeRetriever`` that searches as ``access``."""
        return BoundRetriever(cast("Retriever", self), access, library_names(libraries))
