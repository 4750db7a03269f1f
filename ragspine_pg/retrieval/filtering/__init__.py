"""Metadata filters on the query path."""

from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
from ragspine_pg.retrieval.filtering.evaluate import apply_filter, evaluate

__all__ = ["FilterCondition", "MetadataFilter", "apply_filter", "evaluate"]
