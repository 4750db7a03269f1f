"""Hybrid retrieval that lives inside your own PostgreSQL."""

from ragspine_pg.client import BoundRetriever, Ingestor, Library, RagSpine, Retriever
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import Cancellation, Deadline, RetrievalContext
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
from ragspine_pg.contract.ingest import UNCHANGED
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.locator import Locator
from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.result import Hit, SearchResult
from ragspine_pg.contract.space import Distance, EmbeddingSpace
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import RagSpineError

__all__ = [
    "UNCHANGED",
    "Access",
    "BoundRetriever",
    "Cancellation",
    "Deadline",
    "Distance",
    "Document",
    "Embedded",
    "EmbeddingLimits",
    "EmbeddingModel",
    "EmbeddingSpace",
    "EmbeddingTask",
    "FilterCondition",
    "Hit",
    "Ingestor",
    "Library",
    "Locator",
    "MetadataFilter",
    "RagSpine",
    "RagSpineError",
    "RetrievalContext",
    "RetrievalMode",
    "Retriever",
    "SearchResult",
    "Sensitivity",
    "Usage",
    "make_retrieval_mode",
]
