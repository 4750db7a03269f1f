"""Metadata filters on the query path: their meaning, and reading them out of a query."""

from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
from ragspine_pg.contract.ports import FilterExtractor
from ragspine_pg.retrieval.filtering.adapter import CallableFilterExtractor
from ragspine_pg.retrieval.filtering.controlled_vocab import ControlledVocabFilterExtractor
from ragspine_pg.retrieval.filtering.evaluate import apply_filter, evaluate
from ragspine_pg.retrieval.filtering.registry import FILTER_EXTRACTORS, make_filter_extractor

__all__ = [
    "FILTER_EXTRACTORS",
    "CallableFilterExtractor",
    "ControlledVocabFilterExtractor",
    "FilterCondition",
    "FilterExtractor",
    "MetadataFilter",
    "apply_filter",
    "evaluate",
    "make_filter_extractor",
]
