"""Texts that consist of things which belong together: articles of a law, questions with their answers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragspine_pg.chunking.pack import pack_blocks
from ragspine_pg.chunking.policy import DEFAULT_POLICY
from ragspine_pg.chunking.section import Block, make_block, trim
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.locator import Locator


class Unit(NamedTuple):
    """A half-open span in code points. ``is_one`` says that it is one such thing, and not the text between two."""

    start: int
    end: int
    is_one: bool


def chunk_units(document: Document, units: Iterable[Unit], blocks: Sequence[Block], size: int) -> list[Chunk]:
    """One chunk for each thing of at most ``size`` code points; a longer one is cut like a section.

    The pieces of a thing that was cut carry it as their parent window, since the second half of an article does not say
    which article it is. Text between things is packed as ``default`` does it. ``units`` stand in order and, like
    ``blocks``, hold every character that is no whitespace.
    """
    text = document.text
    chunks: list[Chunk] = []
    at = 0
    for unit in _joined(units):
        span = trim(text, unit.start, unit.end)
        if span is None:
            continue
        if unit.is_one and span[1] - span[0] <= size:
            chunks.append(Chunk.of(text, *span))
            continue
        while at < len(blocks) and blocks[at].end <= unit.start:
            at += 1
        window = (str(Locator.of(text, *span)), text[slice(*span)]) if unit.is_one else ("", "")
        inside = _clipped(text, blocks, at, unit)
        room = size if unit.is_one else min(size, DEFAULT_POLICY.size)
        chunks.extend(
            Chunk.of(text, start, end, parent_locator=window[0], window_text=window[1])
            for start, end in pack_blocks(text, inside, room, break_at_headings=not unit.is_one)
        )
    return chunks


def _joined(units: Iterable[Unit]) -> Iterator[Unit]:
    """Texts between things that follow each other are one text."""
    held: Unit | None = None
    for unit in units:
        if held is not None and not unit.is_one:
            held = Unit(held.start, unit.end, False)
            continue
        if held is not None:
            yield held
        held = None if unit.is_one else unit
        if unit.is_one:
            yield unit
    if held is not None:
        yield held


def _clipped(text: str, blocks: Sequence[Block], at: int, unit: Unit) -> Iterator[Block]:
    while at < len(blocks) and blocks[at].start < unit.end:
        block = blocks[at]
        inside = make_block(text, max(block.start, unit.start), min(block.end, unit.end), block.kind)
        if inside is not None:
            yield inside
        at += 1
