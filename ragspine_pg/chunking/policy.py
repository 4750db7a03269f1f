"""The general way to cut a text."""

from dataclasses import dataclass

from ragspine_pg.chunking.limit import MAX_CHUNK_LENGTH
from ragspine_pg.chunking.markdown_outline import is_markdown, split_markdown_sections
from ragspine_pg.chunking.pack import pack_blocks
from ragspine_pg.chunking.plain_outline import plain_items
from ragspine_pg.chunking.section import Section, build_sections
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document
from ragspine_pg.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class TextChunkPolicy:
    """How long a chunk may be and how far it reaches back into the one before it, both in code points.

    ``size`` (1 to 12,000) counts the overlap in; ``overlap`` is at most half of it. Raises ``ConfigurationError``.
    """

    size: int
    overlap: int = 0

    def __post_init__(self) -> None:
        for value in (self.size, self.overlap):
            if type(value) is not int:
                raise ConfigurationError("size and overlap of a chunk policy are whole numbers of code points")
        if not 1 <= self.size <= MAX_CHUNK_LENGTH:
            raise ConfigurationError(f"a chunk's size is 1 to {MAX_CHUNK_LENGTH} code points, not {self.size}")
        if not 0 <= self.overlap <= self.size // 2:
            raise ConfigurationError(f"overlap is 0 to half of the size ({self.size // 2}), not {self.overlap}")


DEFAULT_POLICY = TextChunkPolicy(1000)
"""About 160 English words or 500 Chinese ones, without overlap. See docs/adr/0004-chunking.md."""


def chunk_document(source: Document | Section, policy: TextChunkPolicy = DEFAULT_POLICY) -> list[Chunk]:
    """Cut a document, or one section of it, into chunks of at most ``policy.size`` code points.

    Whole paragraphs are packed together; headings begin a new chunk once the current one is half full and are never
    left at its end. Locators are those of the document, also for a section's chunks. A document with a title and no
    text is one empty chunk, one with neither gives an empty list.
    """
    if isinstance(source, Section):
        document, blocks = source.document, source.blocks
    else:
        document = source
        if not document.text.strip():
            return title_only(document)
        blocks = tuple(block for section in outline(document) for block in section.blocks)
    spans = pack_blocks(document.text, blocks, policy.size, policy.overlap)
    return [Chunk.of(document.text, start, end) for start, end in spans]


def outline(document: Document) -> list[Section]:
    """The document's sections, as Markdown if it looks like it (``is_markdown``), else as plain text."""
    if is_markdown(document.text):
        return split_markdown_sections(document)
    return build_sections(document, plain_items(document.text))


def title_only(document: Document) -> list[Chunk]:
    """The chunks of a document without text: one empty chunk that stands for its title, if it has one."""
    return [Chunk.of(document.text, 0, 0)] if document.title.strip() else []
