"""Chunks that never cross a heading."""

from typing import NamedTuple

from ragspine_pg.chunking.pack import pack_blocks
from ragspine_pg.chunking.policy import DEFAULT_POLICY, TextChunkPolicy, outline, title_only
from ragspine_pg.chunking.section import Section
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document


class ChildExtra(NamedTuple):
    """What a section adds to each of its chunks; both empty means nothing."""

    parent_locator: str = ""
    window_text: str = ""


class LayoutAwareChunker:
    """Cuts at real headings, then packs whole paragraphs up to ``size`` code points inside each section.

    Headings are those of Markdown (by a real parser) or, in plain text, underlined, numbered (``1.2 Title``) and of
    the form 第N章. Longer paragraphs are cut at sentence ends (Latin and CJK), then at words. Code fences and tables
    stay whole when they fit. ``overlap`` reaches back inside the section only. Raises ``ConfigurationError`` as
    ``TextChunkPolicy`` does.

    A subclass may override ``_child_extra`` to attach a parent window; this class sets none.
    """

    name = "layout"

    def __init__(self, *, size: int = DEFAULT_POLICY.size, overlap: int = DEFAULT_POLICY.overlap) -> None:
        self.policy = TextChunkPolicy(size, overlap)

    @property
    def fingerprint(self) -> str:
        """Name, version of the rules, and policy."""
        return f"{self.name}/1;size={self.policy.size};overlap={self.policy.overlap}"

    @property
    def target_length(self) -> int:
        """The policy's size, in code points."""
        return self.policy.size

    def chunk(self, document: Document) -> list[Chunk]:
        """The document's chunks, section by section."""
        text = document.text
        if not text.strip():
            return title_only(document)
        chunks: list[Chunk] = []
        for section in outline(document):
            spans = pack_blocks(text, section.blocks, self.policy.size, self.policy.overlap, break_at_headings=False)
            extra = self._child_extra(section)
            chunks.extend(
                Chunk.of(text, start, end, parent_locator=extra.parent_locator, window_text=extra.window_text)
                for start, end in spans
            )
        return chunks

    def _child_extra(self, section: Section) -> ChildExtra:
        """What each chunk of ``section`` carries besides its own text; called once a section."""
        return ChildExtra()
