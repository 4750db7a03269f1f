"""Plain text as a list of blocks: paragraphs, and headings that are underlined, numbered, or of the form 第N章."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ragspine_pg.chunking.section import BlockKind, Item, make_block

_LONG_LINE = 120  # code points; a text with longer lines is not wrapped: each of its lines is a paragraph
_MAX_TITLE = 100
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})(\.?)[ \t\u3000]+(\S.*)")
_CJK_NUMBERED = re.compile(
    r"第[ \u3000]?[0-9０-９〇零一二三四五六七八九十百千两兩]{1,9}[ \u3000]?"
    r"(?P<unit>[编編篇部巻卷章节節款條条項项])(?:の[0-9０-９〇一二三四五六七八九十百]{1,5})?(?P<rest>.*)"
)
_CJK_DEPTH = {
    unit: depth for depth, units in enumerate(("编編篇部巻卷", "章", "节節", "款", "條条", "項项"), 1) for unit in units
}
_SENTENCE_END = re.compile(r"[.,;:!?。，；：！？、…]$")
_LEADER = re.compile(r"(?:\.[ ]?){3,}|…{2,}")  # the dots of a table of contents
_LIST_ITEM = re.compile(r"(?:[-*+•・]|\d{1,3}[.)])[ \t]")
# Headings of several systems in one text: underlined above 第N章 above numbered. Levels are compared, never counted.
_CJK_LEVEL, _NUMBERED_LEVEL = 100, 200


class _Line(NamedTuple):
    start: int
    end: int  # without the line end
    text: str  # stripped


class _Heading(NamedTuple):
    first: int
    last: int  # line numbers, inclusive
    level: int
    title: str
    holds_body: bool = False


def plain_items(text: str) -> Iterator[Item]:
    """The blocks in order; they cover every character that is no whitespace."""
    lines = [
        _Line(found.start(), found.end(), found[0].strip())
        for found in _LINE.finditer(text)
        if found.end() > found.start()
    ]
    at = 0
    for heading in _headings(lines):
        yield from _paragraphs(text, lines, at, heading.first)
        kind = BlockKind.PARAGRAPH if heading.holds_body else BlockKind.HEADING
        block = make_block(text, lines[heading.first].start, lines[heading.last].end, kind)
        if block is not None:
            yield Item(block, heading.level, heading.title)
        at = heading.last + 1
    yield from _paragraphs(text, lines, at, len(lines))


def _paragraphs(text: str, lines: list[_Line], first: int, last: int) -> Iterator[Item]:
    at = first
    while at < last:
        if not lines[at].text:
            at += 1
            continue
        end = at
        while end < last and lines[end].text:
            end += 1
        yield from _paragraph(text, lines, at, end)
        at = end


def _paragraph(text: str, lines: list[_Line], first: int, last: int) -> Iterator[Item]:
    opening = lines[first].text
    if opening.startswith(("|", "+-", "+=")) or _UNDERLINE.match(opening):
        starts, kind = [first], BlockKind.LINES
    elif _LIST_ITEM.match(opening):
        starts, kind = [first], BlockKind.LIST
    else:
        kind = BlockKind.PARAGRAPH
        unwrapped = any(len(line.text) > _LONG_LINE for line in lines[first:last])
        # An ideographic space opens a paragraph in Chinese and Japanese, blank line or not.
        starts = [at for at in range(first, last) if at == first or unwrapped or text[lines[at].start] == "\u3000"]
    for start, end in zip(starts, [*starts[1:], last], strict=True):
        if (block := make_block(text, lines[start].start, lines[end - 1].end, kind)) is not None:
            yield Item(block)


def _headings(lines: list[_Line]) -> Iterator[_Heading]:
    found: list[_Heading] = []
    styles: list[tuple[str, bool]] = []
    at = 0
    while at < len(lines):
        heading = _underlined(lines, at, styles) or _cjk(lines, at) or _numbered(lines, at)
        if heading is not None:
            found.append(heading)
            at = heading.last + 1
        else:
            at += 1
    # Numbered lines of one depth with nothing between them are a list or a table of contents, to its last line.
    listed: set[int] = set()
    for before, after in pairwise(found):
        if before.level == after.level > _NUMBERED_LEVEL and not any(
            line.text for line in lines[before.last + 1 : after.first]
        ):
            listed.update((before.first, after.first))
    return (heading for heading in found if heading.first not in listed)


def _is_blank(lines: list[_Line], at: int) -> bool:
    return not 0 <= at < len(lines) or not lines[at].text


def _underlined(lines: list[_Line], at: int, styles: list[tuple[str, bool]]) -> _Heading | None:
    """A title with a line of one repeated sign under it (and perhaps over it); depth by order of appearance."""
    if at + 1 >= len(lines) or not _is_blank(lines, at - 1):
        return None
    over = _UNDERLINE.fullmatch(lines[at].text)
    title_at = at + 1 if over else at
    if title_at + 1 >= len(lines):
        return None
    title = lines[title_at].text
    under = _UNDERLINE.fullmatch(lines[title_at + 1].text)
    if not under or not title or len(title) > _MAX_TITLE or not any(sign.isalnum() for sign in title):
        return None
    if over and over[0] != under[0]:
        return None
    if len(under[0]) < len(title) and under[1] not in "=-":
        return None  # shorter than its title: quoted signs rather than an underline
    style = (under[1], over is not None)
    if style not in styles:
        styles.append(style)
    return _Heading(at, title_at + 1, styles.index(style) + 1, title)


def _cjk(lines: list[_Line], at: int) -> _Heading | None:
    """第三章 総則, 第2節, 第一条 with its sentence on the same line."""
    line = lines[at].text
    match = _CJK_NUMBERED.match(line) if line.startswith("第") else None
    if match is None:
        return None
    rest, unit = match["rest"], match["unit"]
    if _LEADER.search(rest):
        return None
    is_set_off = not rest or rest[0].isspace() or rest[0] in "（(【［[：:"
    is_article = unit in "條条項项"
    is_title = len(line) <= 60 and not re.search(r"[。，；！？]", rest)
    if not ((is_set_off and (is_article or is_title)) or (is_title and not is_article and len(line) <= 30)):
        return None
    title = line if is_title else line[: match.start("rest")]
    return _Heading(at, at, _CJK_LEVEL + _CJK_DEPTH[unit], title, holds_body=not is_title)


def _numbered(lines: list[_Line], at: int) -> _Heading | None:
    """``1.2 Title`` after a blank line; a single number must have a blank line below it as well."""
    line = lines[at].text
    if not line[:1].isdigit() or not line[0].isascii() or len(line) > _MAX_TITLE or not _is_blank(lines, at - 1):
        return None
    match = _NUMBERED.fullmatch(line)
    if match is None:
        return None
    number, title = match[1], match[3]
    if (
        title[0].islower()
        or (not title[0].isalpha() and title[0] not in "\"'“「『《【（(<`")
        or _SENTENCE_END.search(title)
    ):
        return None
    if _LEADER.search(title) or not any(sign.isalpha() for sign in title):
        return None
    if "." not in number and not _is_blank(lines, at + 1):
        return None
    if not _is_blank(lines, at + 1) and len(title) > 60:
        return None
    return _Heading(at, at, _NUMBERED_LEVEL + number.count(".") + 1, line)
