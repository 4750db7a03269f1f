"""Where a block that is too long may be cut: sentence ends, lines, words, and never inside a character as seen."""

import re
import unicodedata
from collections.abc import Iterator

from ragspine_pg.chunking.section import BlockKind, keep_indent, skip_spaces, trim

# Latin: a terminator with closing marks before a space, unless a small letter or an abbreviation says the sentence goes
# on. CJK: a terminator with closing marks. Each run of terminators is tried once, so the search is linear.
_SENTENCE_END = re.compile(
    r"""(?<![.!?…])[.!?…]++
        (?<![\s(][A-Z]\.) (?<!\b(?:Dr|Mr|Ms|St|vs|cf)\.) (?<!\b(?:Mrs|Sig|Art|Fig|art|fig|pag)\.) (?<!\bProf\.)
        ["'”’»)\]]*+ (?=\s++[^\sa-zß-öø-ÿ]|\s*+\Z)
      | [。！？｡]++[」』”’）】〉》"')\]]*+""",
    re.VERBOSE,
)
_LIST_ITEM = re.compile(r"\n(?=[ \t]*+(?:[-*+•・]|\d{1,9}[.)])[ \t])")
_NUMBER = re.compile(r"^[ \t]*+\d{1,9}(?:\.\d{1,3})*+[.)]", re.MULTILINE)
_LOOK_AHEAD = 64  # code points after the limit that may show whether a sentence ends at it
_SPACES = " \n\t\r\u3000"
_CLAUSE_ENDS = "，、；："
_HARD_REACH = 64


def cut_block(
    text: str, start: int, end: int, kind: BlockKind, first_room: int, room: int
) -> Iterator[tuple[int, int]]:
    """Cut ``text[start:end]`` into spans of at most ``room`` code points, the first of at most ``first_room``.

    The spans stand in order and hold every character that is no whitespace. Each cut is the last boundary of the best
    rank that lies in reach: for lists an item, for code and tables a line; then a sentence end, a line or word end,
    and, where there is none, any place that is not inside a grapheme cluster.
    """
    at, reach = start, first_room
    while end - at > reach:
        cut = _find_cut(text, at, at + reach, end, kind)
        piece = trim(text, at, cut)
        if piece is not None:
            yield (at if kind is BlockKind.LINES else piece[0]), piece[1]
            reach = room
        rest = skip_spaces(text, cut, end)
        at = keep_indent(text, cut, rest) if kind is BlockKind.LINES else rest
    if (piece := trim(text, at, end)) is not None:
        yield (at if kind is BlockKind.LINES else piece[0]), piece[1]


def split_sentences(text: str, start: int, end: int, kind: BlockKind) -> Iterator[tuple[int, int]]:
    """The sentences of ``text[start:end]`` in order, trimmed; they hold every character that is no whitespace.

    An item of a list begins one, whatever ends the item before it; code and tables are one.
    """
    if kind is BlockKind.LINES:
        yield start, end
        return
    # The end of the block ends a sentence, and what stands after it says nothing about it.
    cuts = {found.end() for found in _SENTENCE_END.finditer(text, start, end)}
    if kind is BlockKind.LIST:
        cuts.update(found.start() for found in _LIST_ITEM.finditer(text, start, end))
    line = text.rfind("\n", 0, start) + 1  # a Document's lines end in nothing else
    cuts -= {found.end() for found in _NUMBER.finditer(text, line, end)}  # the full stop of "1." ends nothing
    at = start
    for cut in sorted({*cuts, end}):
        if (sentence := trim(text, at, cut)) is not None:
            yield sentence
            at = cut


def first_word(text: str, start: int, end: int, floor: int) -> int:
    """The first place in ``[start, end]`` where reading may begin: a sentence, else a word, else a whole character.

    ``floor``, at most ``start``, is a place known to be a boundary.
    """
    for found in _SENTENCE_END.finditer(text, start, min(len(text), end + _LOOK_AHEAD)):
        if found.end() < end:
            return skip_spaces(text, found.end(), end)
        break
    spaces = [at for sign in _SPACES if (at := text.find(sign, start, end)) >= 0]
    if spaces:
        return skip_spaces(text, min(spaces), end)
    while start < end and _joins(text, start, floor):
        start += 1
    return start


def _find_cut(text: str, at: int, limit: int, end: int, kind: BlockKind) -> int:
    """The best cut in ``(at, limit]``."""
    half = at + (limit - at) // 2
    if kind is BlockKind.LIST:
        cut = -1
        for found in _LIST_ITEM.finditer(text, at + 1, min(end, limit + _LOOK_AHEAD)):
            if found.start() > limit:
                break
            cut = found.start()
        if cut > at:
            return cut
    elif kind is BlockKind.LINES:
        cut = text.rfind("\n\n", half, limit + 1)
        if cut < 0:
            cut = text.rfind("\n", at + 1, limit + 1)
        if cut > at:
            return cut
    if kind is not BlockKind.LINES:
        cut = -1
        for found in _SENTENCE_END.finditer(text, at, min(end, limit + _LOOK_AHEAD)):
            if found.end() > limit:
                break
            cut = found.end()
        if cut > at:
            return cut
        cut = text.rfind("\n", half, limit + 1)
        if cut > at:
            return cut
    word = max(text.rfind(sign, at + 1, limit + 1) for sign in _SPACES)
    clause = max(text.rfind(sign, at, limit) for sign in _CLAUSE_ENDS) + 1
    cut = max(word, clause)
    return cut if cut > at else _hard_cut(text, at, limit)


def _hard_cut(text: str, at: int, limit: int) -> int:
    for cut in range(limit, max(at, limit - _HARD_REACH), -1):
        if not _joins(text, cut, at):
            return cut
    return limit  # a "character" of more than 64 code points: the bound on the size holds


def _joins(text: str, at: int, floor: int) -> bool:
    """Whether ``text[at]`` belongs to the same grapheme cluster as the character before it.

    The rules of UAX 29 that matter for whole characters: combining marks, variation selectors, joiners, emoji
    modifiers and tags, flags (pairs, counted from the boundary ``floor``), Hangul syllables from jamo, CR LF.
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if after < "\u0300":
        return after == "\n" and before == "\r"
    if after == "\u200d" or before == "\u200d":
        return True
    if (
        unicodedata.category(after)[0] == "M"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U000e0020" <= after <= "\U000e007f"
    ):
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff":
        run = at
        while run > floor and "\U0001f1e6" <= text[run - 1] <= "\U0001f1ff":
            run -= 1
        return (at - run) % 2 == 1
    return "\u1160" <= after <= "\u11ff" and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")
