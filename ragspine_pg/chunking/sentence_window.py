"""The chunker ``sentence_window``: a sentence to find, the sentences around it to read."""

from collections.abc import Iterator, Sequence

from ragspine_pg.chunking.boundary import cut_block, split_sentences
from ragspine_pg.chunking.policy import outline, title_only
from ragspine_pg.chunking.section import BlockKind, Section
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.locator import Locator
from ragspine_pg.errors import ConfigurationError

MAX_SENTENCE_LENGTH = 1000
"""Code points after which a sentence without an end is cut."""

_MAX_COUNT = 100


class SentenceWindowChunker:
    """Chunks of ``sentences`` sentences, each with a parent window of ``window`` more on either side.

    Sentences end as Latin and CJK writing ends them; a heading belongs to the sentence under it, and an item of a list,
    a table and a piece of code count as one. Neither a chunk nor its window crosses a heading. What has no end within
    1,000 code points is cut there. Raises ``ConfigurationError`` for counts out of range (1 to 100, window from 0).
    """

    name = "sentence_window"

    def __init__(self, *, sentences: int = 1, window: int = 3) -> None:
        if type(sentences) is not int or type(window) is not int:
            raise ConfigurationError("sentences and window are whole numbers")
        if not 1 <= sentences <= 10 or not 0 <= window <= _MAX_COUNT:
            raise ConfigurationError(f"sentences is 1 to 10, window 0 to {_MAX_COUNT}")
        self.sentences = sentences
        self.window = window

    @property
    def fingerprint(self) -> str:
        """Name, version of the rules, and counts."""
        return f"{self.name}/1;sentences={self.sentences};window={self.window}"

    @property
    def target_length(self) -> int:
        """120 code points a sentence."""
        return 120 * self.sentences

    def chunk(self, document: Document) -> list[Chunk]:
        """The document's chunks, section by section."""
        text = document.text
        if not text.strip():
            return title_only(document)
        return [chunk for section in outline(document) for chunk in self._section(text, list(_spans(text, section)))]

    def _section(self, text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
        for first in range(0, len(spans), self.sentences):
            after = min(first + self.sentences, len(spans))
            start = spans[max(0, first - self.window)][0]
            end = spans[min(after + self.window, len(spans)) - 1][1]
            yield Chunk.of(
                text,
                spans[first][0],
                spans[after - 1][1],
                parent_locator=str(Locator.of(text, start, end)),
                window_text=text[start:end],
            )


def _spans(text: str, section: Section) -> Iterator[tuple[int, int]]:
    """The sentences of a section in order, headings joined to what follows them; each is of bounded length."""
    opened = -1  # where headings begin that wait for a sentence
    waiting = -1  # where they end
    for block in section.blocks:
        if block.kind is BlockKind.HEADING and block.end - (block.start if opened < 0 else opened) <= 300:
            opened, waiting = (block.start if opened < 0 else opened), block.end
            continue
        for start, end in split_sentences(text, block.start, block.end, block.kind):
            pieces = cut_block(text, start, end, block.kind, MAX_SENTENCE_LENGTH, MAX_SENTENCE_LENGTH)
            for piece_start, piece_end in pieces:
                yield (piece_start if opened < 0 else opened), piece_end
                opened = -1
    if opened >= 0:
        yield opened, waiting
