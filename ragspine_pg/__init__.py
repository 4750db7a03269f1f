"""Hybrid retrieval that lives inside your own PostgreSQL."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragspine_pg.async_client import AsyncBoundRetriever, AsyncIngestor, AsyncLibrary, AsyncRagSpine, AsyncRetriever
    from ragspine_pg.async_client.filter_extracting import AsyncFilterExtractingRetriever
    from ragspine_pg.async_client.legs import AsyncHybridRetriever, AsyncVectorRetriever
    from ragspine_pg.async_client.multi_index import AsyncMultiIndexRetriever
    from ragspine_pg.async_client.narrative_index import AsyncNarrativeIndex
    from ragspine_pg.async_client.reranking import AsyncRerankingRetriever
    from ragspine_pg.async_client.vector_store import AsyncVectorStore
    from ragspine_pg.async_client.wrapping import wrap_async_retriever
    from ragspine_pg.chunking import (
        LawsChunker,
        LayoutAwareChunker,
        ParentChildChunker,
        QuestionAnswerChunker,
        SentenceWindowChunker,
        TextChunkPolicy,
        chunk_document,
        make_chunker,
        split_markdown_sections,
    )
    from ragspine_pg.client import BoundRetriever, Ingestor, Library, RagSpine, Retriever
    from ragspine_pg.client.filter_extracting import FilterExtractingRetriever
    from ragspine_pg.client.legs import HybridRetriever, VectorRetriever
    from ragspine_pg.client.multi_index import MultiIndexRetriever
    from ragspine_pg.client.narrative_index import NarrativeIndex
    from ragspine_pg.client.reranking import RerankingRetriever
    from ragspine_pg.client.vector_store import VectorStore
    from ragspine_pg.client.wrapping import wrap_retriever
    from ragspine_pg.config import ServiceConfig
    from ragspine_pg.contract.access import Access
    from ragspine_pg.contract.budget import Budget
    from ragspine_pg.contract.capability import Capability
    from ragspine_pg.contract.chunk import Chunk
    from ragspine_pg.contract.context import Cancellation, Deadline, RetrievalContext
    from ragspine_pg.contract.document import Document
    from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
    from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
    from ragspine_pg.contract.fusion import Fusion, FusionMethod
    from ragspine_pg.contract.ingest import UNCHANGED
    from ragspine_pg.contract.judgement import Judgement
    from ragspine_pg.contract.label import Sensitivity
    from ragspine_pg.contract.library_description import LibraryDescription
    from ragspine_pg.contract.locator import Locator
    from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
    from ragspine_pg.contract.plain import plain_query
    from ragspine_pg.contract.ports import (
        AsyncNarrativeRetriever,
        AsyncSearcher,
        Chunker,
        EmbeddingModel,
        EmbeddingTask,
        FilterExtractor,
        LibraryRouter,
        NarrativeRetriever,
        Reranker,
        Searcher,
    )
    from ragspine_pg.contract.query import RetrievalQuery
    from ragspine_pg.contract.result import Hit, SearchResult
    from ragspine_pg.contract.space import Distance, EmbeddingSpace
    from ragspine_pg.contract.usage import Usage
    from ragspine_pg.embedding import make_embedding_model
    from ragspine_pg.errors import RagSpineError
    from ragspine_pg.ingest.loader import DEFAULT_MAX_TEXT_BYTES, load_text
    from ragspine_pg.retrieval.filtering import (
        CallableFilterExtractor,
        ControlledVocabFilterExtractor,
        make_filter_extractor,
    )
    from ragspine_pg.retrieval.rerank import CallableReranker, HttpReranker, make_reranker
    from ragspine_pg.retrieval.routing import CallableLibraryRouter, KeywordLibraryRouter, make_library_router
    from ragspine_pg.testing import InMemoryLexicalIndex, InMemoryVectorIndex

__all__ = [
    "DEFAULT_MAX_TEXT_BYTES",
    "UNCHANGED",
    "Access",
    "AsyncBoundRetriever",
    "AsyncFilterExtractingRetriever",
    "AsyncHybridRetriever",
    "AsyncIngestor",
    "AsyncLibrary",
    "AsyncMultiIndexRetriever",
    "AsyncNarrativeIndex",
    "AsyncNarrativeRetriever",
    "AsyncRagSpine",
    "AsyncRerankingRetriever",
    "AsyncRetriever",
    "AsyncSearcher",
    "AsyncVectorRetriever",
    "AsyncVectorStore",
    "BoundRetriever",
    "Budget",
    "CallableFilterExtractor",
    "CallableLibraryRouter",
    "CallableReranker",
    "Cancellation",
    "Capability",
    "Chunk",
    "Chunker",
    "ControlledVocabFilterExtractor",
    "Deadline",
    "Distance",
    "Document",
    "Embedded",
    "EmbeddingLimits",
    "EmbeddingModel",
    "EmbeddingSpace",
    "EmbeddingTask",
    "FilterCondition",
    "FilterExtractingRetriever",
    "FilterExtractor",
    "Fusion",
    "FusionMethod",
    "Hit",
    "HttpReranker",
    "HybridRetriever",
    "InMemoryLexicalIndex",
    "InMemoryVectorIndex",
    "Ingestor",
    "Judgement",
    "KeywordLibraryRouter",
    "LawsChunker",
    "LayoutAwareChunker",
    "Library",
    "LibraryDescription",
    "LibraryRouter",
    "Locator",
    "MetadataFilter",
    "MultiIndexRetriever",
    "NarrativeIndex",
    "NarrativeRetriever",
    "ParentChildChunker",
    "QuestionAnswerChunker",
    "RagSpine",
    "RagSpineError",
    "Reranker",
    "RerankingRetriever",
    "RetrievalContext",
    "RetrievalMode",
    "RetrievalQuery",
    "Retriever",
    "SearchResult",
    "Searcher",
    "Sensitivity",
    "SentenceWindowChunker",
    "ServiceConfig",
    "TextChunkPolicy",
    "Usage",
    "VectorRetriever",
    "VectorStore",
    "chunk_document",
    "load_text",
    "make_chunker",
    "make_embedding_model",
    "make_filter_extractor",
    "make_library_router",
    "make_reranker",
    "make_retrieval_mode",
    "plain_query",
    "split_markdown_sections",
    "wrap_async_retriever",
    "wrap_retriever",
]

# Loaded by the first use of a name, so that who needs a part pays for that part: the command line, which answers Ctrl-C
# from its first moment on, and a process that only reads values. Type checkers see the imports above instead.
if not TYPE_CHECKING:
    _HOMES = {
        **dict.fromkeys(("AsyncHybridRetriever", "AsyncVectorRetriever"), "async_client.legs"),
        "AsyncNarrativeIndex": "async_client.narrative_index",
        "AsyncVectorStore": "async_client.vector_store",
        **dict.fromkeys(("HybridRetriever", "VectorRetriever"), "client.legs"),
        "NarrativeIndex": "client.narrative_index",
        "VectorStore": "client.vector_store",
        "Capability": "contract.capability",
        "RetrievalQuery": "contract.query",
        "plain_query": "contract.plain",
        "Chunk": "contract.chunk",
        "ServiceConfig": "config",
        **dict.fromkeys(("InMemoryLexicalIndex", "InMemoryVectorIndex"), "testing"),
        **dict.fromkeys(
            ("AsyncBoundRetriever", "AsyncIngestor", "AsyncLibrary", "AsyncRagSpine", "AsyncRetriever"), "async_client"
        ),
        "AsyncFilterExtractingRetriever": "async_client.filter_extracting",
        "AsyncMultiIndexRetriever": "async_client.multi_index",
        "AsyncRerankingRetriever": "async_client.reranking",
        "wrap_async_retriever": "async_client.wrapping",
        **dict.fromkeys(
            (
                "LawsChunker",
                "LayoutAwareChunker",
                "ParentChildChunker",
                "QuestionAnswerChunker",
                "SentenceWindowChunker",
                "TextChunkPolicy",
                "chunk_document",
                "make_chunker",
                "split_markdown_sections",
            ),
            "chunking",
        ),
        **dict.fromkeys(("BoundRetriever", "Ingestor", "Library", "RagSpine", "Retriever"), "client"),
        "FilterExtractingRetriever": "client.filter_extracting",
        "MultiIndexRetriever": "client.multi_index",
        "RerankingRetriever": "client.reranking",
        "wrap_retriever": "client.wrapping",
        "Access": "contract.access",
        "Budget": "contract.budget",
        **dict.fromkeys(("Cancellation", "Deadline", "RetrievalContext"), "contract.context"),
        "Document": "contract.document",
        **dict.fromkeys(("Embedded", "EmbeddingLimits"), "contract.embedded"),
        **dict.fromkeys(("FilterCondition", "MetadataFilter"), "contract.filter"),
        "UNCHANGED": "contract.ingest",
        "Judgement": "contract.judgement",
        "Sensitivity": "contract.label",
        "LibraryDescription": "contract.library_description",
        "Locator": "contract.locator",
        **dict.fromkeys(("RetrievalMode", "make_retrieval_mode"), "contract.mode"),
        **dict.fromkeys(
            (
                "AsyncNarrativeRetriever",
                "AsyncSearcher",
                "Chunker",
                "EmbeddingModel",
                "EmbeddingTask",
                "FilterExtractor",
                "LibraryRouter",
                "NarrativeRetriever",
                "Reranker",
                "Searcher",
            ),
            "contract.ports",
        ),
        **dict.fromkeys(("Fusion", "FusionMethod"), "contract.fusion"),
        **dict.fromkeys(("Hit", "SearchResult"), "contract.result"),
        **dict.fromkeys(("Distance", "EmbeddingSpace"), "contract.space"),
        "Usage": "contract.usage",
        "make_embedding_model": "embedding",
        "RagSpineError": "errors",
        **dict.fromkeys(("DEFAULT_MAX_TEXT_BYTES", "load_text"), "ingest.loader"),
        **dict.fromkeys(
            ("CallableFilterExtractor", "ControlledVocabFilterExtractor", "make_filter_extractor"),
            "retrieval.filtering",
        ),
        **dict.fromkeys(("CallableReranker", "HttpReranker", "make_reranker"), "retrieval.rerank"),
        **dict.fromkeys(("CallableLibraryRouter", "KeywordLibraryRouter", "make_library_router"), "retrieval.routing"),
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
