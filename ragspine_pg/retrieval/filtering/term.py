"""Words in a text of any script: how they are folded, and where one may begin and end."""

import re
import unicodedata
from collections.abc import Collection

_SPACES = re.compile(r"\s+")
# Scripts without spaces between words: Thai and Lao, Myanmar, Khmer, kana, Han, and Hangul, whose particles are joined.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u303c\u3040-\u318f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff]"
)


def fold_term(text: str) -> str:
    """``text`` in compatibility form (NFKC), its case folded, white space as single blanks."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACES.sub(" ", folded)


def find_terms(folded: str, terms: Collection[str]) -> list[tuple[int, str]]:
    """The terms that stand in ``folded``, with their places, in the order of the text.

    Both are folded. Of terms that overlap the longest counts, among equally long ones the first.
    """
    lengths: dict[str, set[int]] = {}
    for term in terms:
        lengths.setdefault(term[0], set()).add(len(term))
    found = [
        (start, folded[start : start + length])
        for start, sign in enumerate(folded)
        if sign in lengths and is_boundary(folded, start)
        for length in lengths[sign]
        if folded[start : start + length] in terms and is_boundary(folded, start + length)
    ]
    taken = bytearray(len(folded))
    kept = []
    for start, term in sorted(found, key=lambda match: (-len(match[1]), match[0])):
        end = start + len(term)
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * len(term)
            kept.append((start, term))
    return sorted(kept)


def is_boundary(text: str, at: int) -> bool:
    """Whether a word may begin or end at ``at``.

    It may not between two letters, digits or underscores, unless one of them belongs to a script without spaces between
    words: ``go`` stands in 部署go服务, and not in ``golang``. It may not before a combining mark.
    """
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if unicodedata.category(after)[0] == "M":
        return False
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return True
    return not (_is_word(before) and _is_word(after))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_" or unicodedata.category(sign)[0] == "M"
