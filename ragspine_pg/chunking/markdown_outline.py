"""Markdown as a list of blocks, by markdown-it-py's block parser; the text itself is never rewritten."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ragspine_pg.chunking.front_matter import front_matter_end, front_matter_title
from ragspine_pg.chunking.section import BlockKind, Item, Section, build_sections, make_block
from ragspine_pg.contract.document import Document

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_KINDS = {
    "heading_open": BlockKind.HEADING,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "fence": BlockKind.LINES,
    "code_block": BlockKind.LINES,
    "html_block": BlockKind.LINES,
    "table_open": BlockKind.LINES,
}
_INLINE_MARK = re.compile(r"[\\`*_\[\]<>&!~]")
_MAX_TITLE = 300  # code points of a heading that are read for its title
_MAX_NESTING = 40  # twenty lists inside each other; deeper ones swallow what follows, as the parser has it
# A heading that stands by itself and is not one of a run of shell or configuration comments; or a fence; or settings.
_SIGN = re.compile(
    r"(?:\A|(?>\r\n|\n|\r)[ \t]*+(?>\r\n|\n|\r))"
    r"(?:(#{1,6})[ \t]+\S[^\r\n]*+(?:(?>\r\n|\n|\r)(?!\1[ \t])|\Z)|```[\w+-]*[ \t]*[\r\n])"
)


def split_markdown_sections(document: Document) -> list[Section]:
    """The document's sections by its Markdown headings (ATX and setext), with their heading paths.

    Together they hold every character that is no whitespace. Front matter belongs to the first section. A document
    without text has none.
    """
    return build_sections(document, markdown_items(document.text))


def is_markdown(text: str) -> bool:
    """Whether a text shows a sign of Markdown: an ATX heading that stands by itself, a code fence, front matter."""
    return _SIGN.search(text) is not None or front_matter_end(text) > 0


def markdown_title(text: str) -> str:
    """The title a Markdown text gives itself: its front matter's, else its first heading, else an empty string.

    Looks at the first 64 Ki code points only.
    """
    title = front_matter_title(text)
    if title:
        return title
    return next((item.title for item in markdown_items(text[:65_536]) if item.level and item.title), "")


def markdown_items(text: str) -> Iterator[Item]:
    """The top-level blocks in order; they cover every character that is no whitespace."""
    offset = front_matter_end(text)
    if offset:
        matter = make_block(text, 0, offset, BlockKind.LINES)
        if matter is not None:
            yield Item(matter, is_body=False)
    body = text[offset:] if offset else text
    lines = [offset, *(offset + found.end() for found in _LINE_END.finditer(body)), len(text)]
    covered = 0
    tokens = _block_parser().parse(body)
    for at, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, last = token.map
        yield from _loose(text, lines[covered], lines[first])
        block = make_block(text, lines[first], lines[last], _KINDS.get(token.type, BlockKind.PARAGRAPH))
        if block is not None:
            is_heading = token.type == "heading_open"
            title = _plain_title(tokens[at + 1].content) if is_heading else ""
            yield Item(block, int(token.tag[1:]) if is_heading else 0, title)
        covered = last
    yield from _loose(text, lines[covered], len(text))


def _loose(text: str, start: int, end: int) -> Iterator[Item]:
    """What the parser gives no token for, by blank lines."""
    if end <= start:
        return
    at = start
    for gap in _BLANK_LINES.finditer(text, start, end):
        if (block := make_block(text, at, gap.start(), BlockKind.PARAGRAPH)) is not None:
            yield Item(block)
        at = gap.end()
    if (block := make_block(text, at, end, BlockKind.PARAGRAPH)) is not None:
        yield Item(block)


def _plain_title(content: str) -> str:
    """A heading's words without their Markdown."""
    content = content[:_MAX_TITLE]
    if _INLINE_MARK.search(content):
        inline = _inline_parser().parseInline(content)
        content = "".join(
            child.content if child.type in ("text", "code_inline", "image") else " " * (child.type == "softbreak")
            for token in inline
            for child in token.children or ()
        )
    return " ".join(content.split())


@lru_cache(maxsize=1)
def _block_parser() -> "MarkdownIt":
    # Imported here: who only searches does not pay for it. Inline text and link definitions decide no block, and the
    # inline rules are where hostile Markdown (thousands of open brackets) costs more than linear time.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@lru_cache(maxsize=1)
def _inline_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")
