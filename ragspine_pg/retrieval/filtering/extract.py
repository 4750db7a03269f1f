"""Asks a filter extractor, joins what it gives to the caller's own filter, and reports it."""

from dataclasses import replace

from ragspine_pg.contract.fault import log_fault
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.ports import FilterExtractor
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.errors import SeamFailed


def extract_filter(extractor: FilterExtractor, query: str) -> MetadataFilter | None:
    """What ``extractor`` reads out of ``query``; a filter of everything is None.

    Raises ``SeamFailed`` for an extractor that fails or gives what is no filter; the message holds nothing of it.
    """
    try:
        extracted = extractor.extract(query)
    except Exception as error:  # noqa: BLE001 - an application's own code, or a model's client
        log_fault(f"filter extractor {extractor.name!r}", error)
        fault = type(error).__name__
    else:
        if extracted is None or (isinstance(extracted, MetadataFilter) and extracted == MetadataFilter()):
            return None
        if isinstance(extracted, MetadataFilter):
            return extracted
        fault = "no filter"
    raise SeamFailed(f"filter extractor {extractor.name!r} failed ({fault})", seam="filter_extractor")


def join_filters(own: MetadataFilter | None, extracted: MetadataFilter) -> MetadataFilter:
    """Both must hold. Raises ``InvalidFilter`` when they are too large together."""
    return extracted if own is None else MetadataFilter.all_of(own, extracted)


def report_filter(result: SearchResult, extracted: MetadataFilter) -> SearchResult:
    """``result`` with the warning ``extracted_filter:<its JSON form>``, and ``extracted_filter_left_nothing`` if so."""
    warnings = [f"extracted_filter:{extracted.to_json()}"]
    if not result.hits and result.reason == "no_match":
        warnings.append("extracted_filter_left_nothing")
    return replace(result, warnings=(*result.warnings, *warnings))
