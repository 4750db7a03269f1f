"""The chunkers ``default`` and ``whole``."""

from ragspine_pg.chunking.limit import MAX_CHUNK_LENGTH, fits_lexeme_limit
from ragspine_pg.chunking.pack import pack_blocks
from ragspine_pg.chunking.policy import DEFAULT_POLICY, TextChunkPolicy, chunk_document, outline, title_only
from ragspine_pg.chunking.section import trim
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document


class DefaultChunker:
    """``chunk_document`` with a policy: chunks of even length, for Markdown and plain text in any language.

    ``size`` and ``overlap`` in code points; raises ``ConfigurationError`` as ``TextChunkPolicy`` does.
    """

    name = "default"

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
        """The document's chunks; see ``chunk_document``."""
        return chunk_document(document, self.policy)


class WholeChunker:
    """One chunk a document, as judged collections of abstracts and articles expect it.

    A text that may have more distinct lexemes than the store can hold in one chunk (``fits_lexeme_limit``: longer than
    12,000 code points and of too many different words) is cut into chunks of at most 12,000 code points by the
    rules of ``default``.
    """

    name = "whole"
    fingerprint = f"whole/1;cap={MAX_CHUNK_LENGTH}"
    target_length = 1500  # an abstract or a short article; measure the pivot where lengths matter

    def chunk(self, document: Document) -> list[Chunk]:
        """The document's text without surrounding whitespace as one chunk, or a few where it is too rich for one."""
        text = document.text
        span = trim(text, 0, len(text))
        if span is None:
            return title_only(document)
        if fits_lexeme_limit(text[slice(*span)]):
            return [Chunk.of(text, *span)]
        blocks = [block for section in outline(document) for block in section.blocks]
        return [Chunk.of(text, start, end) for start, end in pack_blocks(text, blocks, MAX_CHUNK_LENGTH)]
