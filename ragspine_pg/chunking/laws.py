"""The chunker ``laws``: one chunk an article."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ragspine_pg.chunking.policy import TextChunkPolicy, outline, title_only
from ragspine_pg.chunking.section import Block, BlockKind
from ragspine_pg.chunking.unit import Unit, chunk_units
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document

_OPENING = r"^[ \t\u3000]*+(?P<level>\#{1,6}(?=[ \t]))?[ \t]*+(?:\*\*|__)?"
_CJK_NUMBER = r"[ \u3000]?[0-9０-９〇零一二三四五六七八九十百千两兩]{1,9}[ \u3000]?"
_NUMBER = r"""(?:(?:[LRD]\.?[ ]?)?\d{1,5}(?:[-.]\d{1,4})*+[a-z]?|[IVXLC]{1,8}|premier|1er)
              (?:[ \u00a0-]?(?:bis|ter|quater|quinquies|sexies|septies|octies))?"""
_ARTICLE = re.compile(
    _OPENING
    + r"""(?:
        (?:§|(?:Article|Articolo|Artículo|Artigo|Artikel|ARTICLE|ARTICOLO|ARTÍCULO|ARTIKEL|Section|Sec\.|Art\.|ART\.))
        [ \t\u00a0]*+"""
    + _NUMBER
    + r"""(?=(?:\*\*|__)?(?:[ \t]*+(?:$|[\r\n.:)(（\[—–-])|[ \t]++["“«]?[^\W\d_a-zß-öø-ÿ]))
      | 第"""
    + _CJK_NUMBER
    + r"""[條条](?:[のノ之][0-9０-９〇一二三四五六七八九十百]{1,5})?(?=(?:\*\*|__)?(?:[ \t\u3000\r\n（(【［\[：:]|$))
      | 제[ ]?\d{1,5}조(?:의[ ]?\d{1,3})?(?=[ \t\r\n(（]|$) )""",
    re.MULTILINE | re.VERBOSE,
)
_DIVISION = re.compile(
    _OPENING
    + r"""(?:
        (?i:Part|Title|Chapter|Annex|Schedule|Parte|Titolo|Capo|Capitolo|Allegato|Título|Capítulo|Titre|Chapitre|Annexe
           |Teil|Kapitel|Abschnitt|Anlage)[ \t\u00a0]+(?:[IVXLC]{1,8}|\d{1,4}|[A-Z]|(?i:one|two|three|four|five|six))
        (?=[ \t]*+(?:$|[\r\n.:—–-])|[ \t]++[^\W\d_a-z])[^\r\n]{0,120}$
      | 第"""
    + _CJK_NUMBER
    + r"""[编編篇部巻卷章节節款][^\r\n。，；]{0,60}$
      | (?(level)\S[^\r\n]*$|(?!)) )""",
    re.MULTILINE | re.VERBOSE,
)
_ENDS_A_LINE = re.compile(r"[.;:!?。；：！？)”’»\]*_]$")
_HEAD_LENGTH = 400  # code points that may stand between a chapter's heading and its first article, in that one's chunk
_SHORT_LINE = 50


class _Start(NamedTuple):
    at: int
    level: int  # of the Markdown heading it is; 0 for a plain line
    is_article: bool


class LawsChunker:
    """One chunk an article: ``Article 12``, ``Art. 5``, ``§ 3``, ``第十二条``, at the beginning of a line.

    The headings of a part or chapter go with its first article. A mention inside a sentence begins no article, not even
    where a line break puts it at the beginning of a line. An article of more than ``size`` code points is cut, its
    pieces carrying the whole article as their parent window; other text is packed as ``default`` does it. Raises
    ``ConfigurationError`` as ``TextChunkPolicy`` does.
    """

    name = "laws"

    def __init__(self, *, size: int = 4000) -> None:
        self.policy = TextChunkPolicy(size)

    @property
    def fingerprint(self) -> str:
        """Name, version of the rules, and the size."""
        return f"{self.name}/1;size={self.policy.size}"

    @property
    def target_length(self) -> int:
        """What an article usually takes, in code points."""
        return min(800, self.policy.size)

    def chunk(self, document: Document) -> list[Chunk]:
        """The document's articles, and what stands between them."""
        if not document.text.strip():
            return title_only(document)
        blocks = [block for section in outline(document) for block in section.blocks]
        return chunk_units(document, _units(document.text, blocks), blocks, self.policy.size)


def _units(text: str, blocks: list[Block]) -> Iterator[Unit]:
    at, is_one = 0, False  # the open unit
    head = -1  # where a heading begins that waits for its first article
    article_level = 0
    for start in _starts(text, blocks):
        if start.is_article:
            begin = head if head >= 0 and start.at - head <= _HEAD_LENGTH else start.at
            if begin > at:
                yield Unit(at, begin, is_one)
            at, is_one, head, article_level = begin, True, -1, start.level
        elif is_one and article_level and start.level > article_level:
            continue  # a heading inside the article
        elif head < 0:
            if start.at > at:
                yield Unit(at, start.at, is_one)
            at, is_one, head = start.at, False, start.at
    yield Unit(at, len(text), is_one)


def _starts(text: str, blocks: list[Block]) -> Iterator[_Start]:
    """Articles and headings above them, in order."""
    found = {at: _Start(at, level, False) for at, level in _matches(_DIVISION, text)}
    found |= {
        at: _Start(at, level, True) for at, level in _matches(_ARTICLE, text) if level or not _continues(text, at)
    }
    for at in sorted(found):
        place = bisect_right(blocks, at, key=lambda block: block.end)
        if place < len(blocks) and not (blocks[place].kind is BlockKind.LINES and blocks[place].start <= at):
            yield found[at]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return ((match.start(), len(match["level"] or "")) for match in pattern.finditer(text))


def _continues(text: str, at: int) -> bool:
    """Whether the line that begins at ``at`` carries on a sentence of the line before it.

    It does not after a blank line, after a sentence's end, or after one to three short lines that begin with a capital,
    or have none, and that stand by themselves: headings.
    """
    for _ in range(4):
        before, at = _line_before(text, at)
        if not before or _ENDS_A_LINE.search(before):
            return False
        if len(before) >= _SHORT_LINE or before[0].islower():
            return True
    return True


def _line_before(text: str, at: int) -> tuple[str, int]:
    """The line that ends before the one that begins at ``at``, without surrounding spaces, and where it begins."""
    end = max(at - 1, 0)
    start = text.rfind("\n", 0, end) + 1  # a Document's lines end in nothing else
    return text[start:end].strip(), start
