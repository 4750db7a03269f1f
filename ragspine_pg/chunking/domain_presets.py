"""Chunkers for a purpose, each a thin subclass of a general one."""

from ragspine_pg.chunking.layout import ChildExtra, LayoutAwareChunker
from ragspine_pg.chunking.section import Section


class ParentChildChunker(LayoutAwareChunker):
    """Small chunks to find, their whole section to read (``parent_child``, also called ``small_to_big``).

    Each chunk carries its section's full text and the locator of the section's real span; chunks of one section share
    both. A window never crosses a section, so never a document.
    """

    name = "parent_child"

    def _child_extra(self, section: Section) -> ChildExtra:
        """The section as parent window."""
        return ChildExtra(parent_locator=section.locator, window_text=section.text)
