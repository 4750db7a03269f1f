"""What a chunker makes of a document."""

from dataclasses import dataclass

from ragspine_pg.contract.locator import Locator


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open span ``[start, end)`` in code points of the document's stored text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrievable passage: the slice ``text`` at ``span``, and the parent window it belongs to, if any.

    ``parent_locator`` is the window's span written as a locator and ``window_text`` its text; both are empty unless
    the chunker sets them (``ParentChildChunker`` does). In the store a window is kept once and shared.
    """

    span: Span
    text: str
    locator: str
    parent_locator: str = ""
    window_text: str = ""

    @classmethod
    def of(cls, text: str, start: int, end: int, *, parent_locator: str = "", window_text: str = "") -> "Chunk":
        """The chunk ``text[start:end]``; raises ``ValueError`` when the span does not lie inside the text."""
        locator = str(Locator.of(text, start, end))
        return cls(Span(start, end), text[start:end], locator, parent_locator, window_text)
