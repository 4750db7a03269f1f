"""Sections and blocks: a document as its author laid it out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ragspine_pg.contract.chunk import Span
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.locator import Locator

_NON_SPACE = re.compile(r"\S")


class BlockKind(Enum):
    """What a block is, which decides where it may be cut when it is too long for one chunk."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    LINES = "lines"  # code, tables, raw HTML: a line is the smallest thing that makes sense

    def __repr__(self) -> str:
        return self.name


class Block(NamedTuple):
    """A half-open span in code points that neither begins nor ends with whitespace (code keeps its indent)."""

    start: int
    end: int
    kind: BlockKind


class Item(NamedTuple):
    """A block as an outliner reports it. ``level`` is 0 unless it is a heading, 1 the highest.

    A heading may hold its body on the same line (第一条 does); its block is a paragraph then.
    """

    block: Block
    level: int = 0
    title: str = ""
    is_body: bool = True  # False for what introduces a section without being its content: front matter


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it, up to the next heading, as a span of its document.

    ``heading_path`` lists the titles from the outermost heading down to the section's own; it is empty for text before
    the first heading. A heading without a body of its own belongs to the deeper section that follows it directly.
    ``blocks`` are its paragraphs, headings, lists and code blocks in order.
    """

    document: Document
    span: Span
    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The section's own text, a verbatim slice of the document's."""
        return self.document.text[self.span.start : self.span.end]

    @property
    def locator(self) -> str:
        """The section's span as a locator."""
        return str(Locator.of(self.document.text, self.span.start, self.span.end))


def make_block(text: str, start: int, end: int, kind: BlockKind) -> Block | None:
    """The block without surrounding whitespace, or None when nothing else is there."""
    trimmed = trim(text, start, end)
    if trimmed is None:
        return None
    first, last = trimmed
    return Block(keep_indent(text, start, first) if kind is BlockKind.LINES else first, last, kind)


def trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """``start, end`` moved inwards past whitespace, or None when only whitespace lies between them."""
    found = _NON_SPACE.search(text, start, end)  # no slicing: a long block is trimmed once a chunk
    if found is None:
        return None
    while text[end - 1].isspace():
        end -= 1
    return found.start(), end


def skip_spaces(text: str, start: int, end: int) -> int:
    """The first place in ``[start, end)`` that is no whitespace, else ``end``."""
    found = _NON_SPACE.search(text, start, end)
    return end if found is None else found.start()


def keep_indent(text: str, start: int, first: int) -> int:
    """The start of the line of ``first`` when only a reasonable indentation lies between the two, else ``first``."""
    line = text.rfind("\n", start, first) + 1 or start
    return line if first - line <= 80 and (line == 0 or text[line - 1] in "\r\n") else first


def build_sections(document: Document, items: Iterable[Item]) -> list[Section]:
    """Group an outline into sections; they hold every block, in order."""
    sections: list[Section] = []
    blocks: list[Block] = []
    above: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    has_body, level = False, 0
    for item in items:
        if item.level:
            if blocks and (has_body or item.level <= level):
                sections.append(_section(document, path, blocks))
                blocks, has_body = [], False
            while above and above[-1][0] >= item.level:
                above.pop()
            above.append((item.level, item.title))
            path, level = tuple(title for _, title in above), item.level
            has_body = has_body or item.block.kind is not BlockKind.HEADING
        else:
            has_body = has_body or item.is_body
        blocks.append(item.block)
    if blocks:
        sections.append(_section(document, path, blocks))
    return sections


def _section(document: Document, path: tuple[str, ...], blocks: Sequence[Block]) -> Section:
    return Section(document, Span(blocks[0].start, blocks[-1].end), path, tuple(blocks))
