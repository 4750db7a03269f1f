"""Hybrid retrieval that lives inside your own PostgreSQL."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from ragspine_pg.embedding import make_embedding_model
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
    "make_embedding_model",
    "make_retrieval_mode",
]

# Loaded by the first use of a name, so that who needs a part pays for that part: the command line, which answers Ctrl-C
# from its first moment on, and a process that only reads values. Type checkers see the imports above instead.
if not TYPE_CHECKING:
    _HOMES = {
        **dict.fromkeys(("BoundRetriever", "Ingestor", "Library", "RagSpine", "Retriever"), "client"),
        **dict.fromkeys(("Cancellation", "Deadline", "RetrievalContext"), "contract.context"),
        **dict.fromkeys(("Distance", "EmbeddingSpace"), "contract.space"),
        **dict.fromkeys(("Embedded", "EmbeddingLimits"), "contract.embedded"),
        **dict.fromkeys(("EmbeddingModel", "EmbeddingTask"), "contract.ports"),
        **dict.fromkeys(("FilterCondition", "MetadataFilter"), "contract.filter"),
        **dict.fromkeys(("RetrievalMode", "make_retrieval_mode"), "contract.mode"),
        **dict.fromkeys(("Hit", "SearchResult"), "contract.result"),
        "Access": "contract.access",
        "Document": "contract.document",
        "Locator": "contract.locator",
        "RagSpineError": "errors",
        "Sensitivity": "contract.label",
        "UNCHANGED": "contract.ingest",
        "make_embedding_model": "embedding",
        "Usage": "contract.usage",
    }

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
