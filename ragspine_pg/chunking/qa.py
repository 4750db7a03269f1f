"""The chunker ``qa``: one chunk a question with its answer."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from ragspine_pg.chunking.policy import TextChunkPolicy, outline, title_only
from ragspine_pg.chunking.section import Block, BlockKind, Section
from ragspine_pg.chunking.unit import Unit, chunk_units
from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document

_QUESTION_MARKS = ("?", "？", "؟")
_OPENING = r"^[ \t]*+(?:(?:[-*+•・>]|\d{1,3}[.)])[ \t]++)?(?:\*\*|__)?"  # a list's mark, bold
_CLOSING = r"[ \t\u00a0]?(?:\*\*|__)?[ \t]*+"
# What asks for certain; what asks only where an answer follows, since a single letter can be anything.
_QUESTION = re.compile(
    _OPENING
    + r"""(?:
        (?P<word>(?i:Q|Question|Domanda|Frage|Pregunta|Pergunta)[ \t]?\d{0,4}"""
    + _CLOSING
    + r"""[.:：．、] | (?:问题?|問題?|質問|提问|提問|질문)[ \t]?[0-9０-９]{0,4}"""
    + _CLOSING
    + r"""[:：．.、])
      | (?P<letter>[DFP][ \t]?\d{0,4}"""
    + _CLOSING
    + r"""[:：])
      | (?P<number>(?<=[.)][ \t])(?=[^\n?？؟]{1,200}[?？؟][ \t*_]*$)) )""",
    re.MULTILINE | re.VERBOSE,
)
_ANSWER = re.compile(
    r"(?:" + _OPENING + r"|(?<=[?？؟])[ \t]*+(?:\*\*|__)?)"
    r"(?:(?i:A|Answer|Risposta|Réponse|R|Antwort|Respuesta|Resposta)|答え?|回答|答案|답변?)[ \t]?[0-9０-９]{0,4}"
    + _CLOSING
    + r"[.:：．、]",
    re.MULTILINE,
)
_ASKS = re.compile(r"[^\r\n]*[?？؟][ \t*_」』”\"')）]*(?:[\r\n]|\Z)")


class QuestionAnswerChunker:
    """One chunk a question with its answer, for lists of frequently asked questions.

    A pair is marked (``Q: … A: …``, ``Domanda: … Risposta: …``, ``问：… 答：…``), or numbered and asked
    (``1. How …?``), or it is a heading that ends in a question mark with all that stands under it, deeper headings
    included. It ends where the next one begins, or the section. A pair of more than ``size`` code points is cut, its
    pieces carrying the pair as their parent window. Text between pairs is packed as ``default`` does it. Raises
    ``ConfigurationError`` as ``TextChunkPolicy`` does.
    """

    name = "qa"

    def __init__(self, *, size: int = 4000) -> None:
        self.policy = TextChunkPolicy(size)

    @property
    def fingerprint(self) -> str:
        """Name, version of the rules, and the size."""
        return f"{self.name}/1;size={self.policy.size}"

    @property
    def target_length(self) -> int:
        """What a question with its answer usually takes, in code points."""
        return min(500, self.policy.size)

    def chunk(self, document: Document) -> list[Chunk]:
        """The document's pairs, and what stands between them."""
        if not document.text.strip():
            return title_only(document)
        sections = outline(document)
        blocks = [block for section in sections for block in section.blocks]
        return chunk_units(document, _units(document.text, sections), blocks, self.policy.size)


def _units(text: str, sections: list[Section]) -> Iterator[Unit]:
    asked: tuple[str, ...] = ()  # the heading path of the open pair
    start = end = -1
    for section in sections:
        path, span = section.heading_path, section.span
        starts = _marked(text, section)
        asks = bool(path) and path[-1].rstrip(" *_").endswith(_QUESTION_MARKS)
        if not starts and not asks and asked and len(path) > len(asked) and path[: len(asked)] == asked:
            end = span.end  # a deeper heading of the open pair's answer
            continue
        if asked:
            yield Unit(start, end, True)
            asked = ()
        if starts:
            if starts[0] > span.start:
                yield Unit(span.start, starts[0], False)
            for first, after in pairwise([*starts, span.end]):
                yield Unit(first, after, True)
        elif asks:
            asked, start, end = path, span.start, span.end
        else:
            yield Unit(span.start, span.end, False)
    if asked:
        yield Unit(start, end, True)


def _marked(text: str, section: Section) -> list[int]:
    """Where the section's marked pairs begin; the first takes the headings above it along."""
    found = [
        question
        for question in _QUESTION.finditer(text, section.span.start, section.span.end)
        if _kind(section.blocks, question.end() - 1) not in (BlockKind.LINES, BlockKind.HEADING)
    ]
    starts = []
    ends = [*(question.start() for question in found), section.span.end][1:]
    for question, after in zip(found, ends, strict=True):
        answered = _ANSWER.search(text, question.end(), after) is not None
        asks = _ASKS.match(text, question.end(), after) is not None
        if answered or (asks and not question["letter"]):
            starts.append(question.start())
    if starts and all(block.kind is BlockKind.HEADING for block in section.blocks if block.end <= starts[0]):
        starts[0] = section.span.start
    return starts


def _kind(blocks: tuple[Block, ...], at: int) -> BlockKind | None:
    place = bisect_right(blocks, at, key=lambda block: block.start) - 1
    return blocks[place].kind if place >= 0 and at < blocks[place].end else None
