"""Chunkers for a purpose; those with rules of their own live in a module each."""

from ragspine_pg.chunking.laws import LawsChunker
from ragspine_pg.chunking.layout import ChildExtra, LayoutAwareChunker
from ragspine_pg.chunking.markdown_outline import split_markdown_sections
from ragspine_pg.chunking.policy import TextChunkPolicy, chunk_document
from ragspine_pg.chunking.qa import QuestionAnswerChunker
from ragspine_pg.chunking.section import Section
from ragspine_pg.chunking.sentence_window import SentenceWindowChunker

__all__ = [
    "LawsChunker",
    "LayoutAwareChunker",
    "ParentChildChunker",
    "QuestionAnswerChunker",
    "SentenceWindowChunker",
    "TextChunkPolicy",
    "chunk_document",
    "split_markdown_sections",
]


class ParentChildChunker(LayoutAwareChunker):
    """Small chunks to find, their whole section to read (``parent_child``, also called ``small_to_big``).

    Each chunk carries its section's full text and the locator of the section's real span; chunks of one section share
    both. A window never crosses a section, so never a document.
    """

    name = "parent_child"

    def _child_extra(self, section: Section) -> ChildExtra:
        """The section as parent window."""
        return ChildExtra(parent_locator=section.locator, window_text=section.text)
