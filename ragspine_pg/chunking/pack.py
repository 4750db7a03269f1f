"""Pack blocks into spans: whole paragraphs as long as they fit, a heading with what stands under it."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ragspine_pg.chunking.boundary import cut_block, first_word
from ragspine_pg.chunking.section import Block, BlockKind


def pack_blocks(
    text: str, blocks: Iterable[Block], size: int, overlap: int = 0, *, break_at_headings: bool = True
) -> list[tuple[int, int]]:
    """Spans of at most ``size`` code points, in order, that hold every character of the blocks.

    A block that fits is not cut, but for prose that does not fit under its heading; a longer one is cut by
    ``cut_block``. A heading is not left behind at the end of a span while what follows it fits. With
    ``break_at_headings`` one also begins a new span once the current one is half full. ``overlap``: each span but the
    first begins up to so many code points earlier, inside the span before it; one that opens with a heading does not.
    """
    blocks = list(blocks)
    spans = _Packer(text, size - overlap, break_at_headings).pack(blocks)
    return _overlapped(text, spans, overlap, blocks) if overlap else spans


class _Packer:
    """One pass over the blocks. ``start, end`` is the open span; -1 where there is none."""

    def __init__(self, text: str, room: int, break_at_headings: bool) -> None:
        self.text = text
        self.room = room
        self.break_at_headings = break_at_headings
        self.spans: list[tuple[int, int]] = []
        self.start = -1
        self.end = -1
        self.tail = -1  # where the trailing headings of the open span begin, and
        self.before_tail = -1  # where the text before them ends

    def pack(self, blocks: Sequence[Block]) -> list[tuple[int, int]]:
        for block in blocks:
            if self.start >= 0:
                self._make_place(block)
            if block.end - (self.start if self.start >= 0 else block.start) <= self.room:
                self._extend(block)
            else:
                self._cut(block)
        self._close()
        return self.spans

    def _make_place(self, block: Block) -> None:
        """Close the open span, whole or up to its trailing headings, when ``block`` should not join it."""
        if (
            self.break_at_headings
            and block.kind is BlockKind.HEADING
            and self.tail < 0
            and self.end - self.start >= self.room // 2
        ):
            self._close()
            return
        if block.end - self.start <= self.room:
            return
        if self.tail > self.start:
            self.spans.append((self.start, self.before_tail))
            self.start = self.tail
            if block.end - self.start <= self.room:
                return
        # Prose begins right under its heading if there is room to speak of, since a heading alone says nothing; so does
        # what is cut anyway. A table or code that fits is kept whole, in a span of its own.
        is_cut = block.kind is not BlockKind.LINES or block.end - block.start > self.room
        if not (is_cut and self.tail >= 0) or self.room - (block.start - self.start) <= self.room // 4:
            self._close()

    def _extend(self, block: Block) -> None:
        if block.kind is not BlockKind.HEADING:
            self.tail = -1
        elif self.tail < 0:
            self.tail, self.before_tail = block.start, self.end
        if self.start < 0:
            self.start = block.start
        self.end = block.end

    def _cut(self, block: Block) -> None:
        first_room = self.room - (block.start - self.start) if self.start >= 0 else self.room
        for start, end in cut_block(self.text, block.start, block.end, block.kind, first_room, self.room):
            if self.end >= 0 and self.end <= start and self.tail < 0:
                self._close()
            if self.start < 0:
                self.start = start
            self.end, self.tail = end, -1

    def _close(self) -> None:
        if self.start >= 0:
            self.spans.append((self.start, self.end))
        self.start = self.end = self.tail = -1


def _overlapped(
    text: str, spans: list[tuple[int, int]], overlap: int, blocks: Sequence[Block]
) -> list[tuple[int, int]]:
    headings = {block.start for block in blocks if block.kind is BlockKind.HEADING}
    widened = spans[:1]
    for (before, _), (start, end) in pairwise(spans):
        if start not in headings:
            start = first_word(text, max(start - overlap, before + 1), start, before)
        widened.append((start, end))
    return widened
