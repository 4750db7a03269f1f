"""A search narrowed by what the query's words ask for: see ``FilterExtractingRetriever``."""

from collections.abc import Mapping
from typing import Any

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.ports import FilterExtractor
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.search_request import SearchRequest
from ragspine_pg.retrieval.around import Around, consult, search
from ragspine_pg.retrieval.filtering.extract import extract_filter, join_filters, report_filter


def search_extracting(
    extractor: FilterExtractor | None,
    query: str,
    metadata_filter: MetadataFilter | None,
    options: Mapping[str, Any],
) -> Around[SearchResult]:
    """Search with the extracted filter besides ``metadata_filter``. Raises ``SeamFailed``."""
    SearchRequest(query=query, metadata_filter=metadata_filter)  # refused before anybody is asked about it
    extracted = None if extractor is None else (yield from consult(lambda: extract_filter(extractor, query)))
    if extracted is None:
        return (yield from search(query, metadata_filter=metadata_filter, **options))
    joined = join_filters(metadata_filter, extracted)
    result = yield from search(query, metadata_filter=joined, **options)
    return report_filter(result, extracted)
