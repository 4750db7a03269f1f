"""From a document to its passages: verbatim slices, cut where its author made a break."""

from ragspine_pg.chunking.domain_presets import (
    LawsChunker,
    ParentChildChunker,
    QuestionAnswerChunker,
    SentenceWindowChunker,
)
from ragspine_pg.chunking.general import DefaultChunker, WholeChunker
from ragspine_pg.chunking.layout import ChildExtra, LayoutAwareChunker
from ragspine_pg.chunking.limit import MAX_CHUNK_LENGTH, MAX_WHOLE_LENGTH, fits_lexeme_limit, lexeme_bound
from ragspine_pg.chunking.markdown_outline import markdown_title, split_markdown_sections
from ragspine_pg.chunking.policy import DEFAULT_POLICY, TextChunkPolicy, chunk_document
from ragspine_pg.chunking.provenance import check_provenance
from ragspine_pg.chunking.registry import CHUNKERS, ENTRY_POINT_GROUP, make_chunker
from ragspine_pg.chunking.section import Block, BlockKind, Section

__all__ = [
    "CHUNKERS",
    "DEFAULT_POLICY",
    "ENTRY_POINT_GROUP",
    "MAX_CHUNK_LENGTH",
    "MAX_WHOLE_LENGTH",
    "Block",
    "BlockKind",
    "ChildExtra",
    "DefaultChunker",
    "LawsChunker",
    "LayoutAwareChunker",
    "ParentChildChunker",
    "QuestionAnswerChunker",
    "Section",
    "SentenceWindowChunker",
    "TextChunkPolicy",
    "WholeChunker",
    "check_provenance",
    "chunk_document",
    "fits_lexeme_limit",
    "lexeme_bound",
    "make_chunker",
    "markdown_title",
    "split_markdown_sections",
]
