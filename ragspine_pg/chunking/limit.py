"""How long a chunk may be, so that the store can hold its lexemes.

pgvector's ``sparsevec`` holds at most 16,000 elements, one a distinct lexeme. No analyzer gives more than one lexeme a
code point (overlapping bigrams of CJK text do; a word needs a separator as well, an identifier such as ``-aB`` gives
four lexemes for four code points), but for compatibility characters, of which Unicode has too few distinct ones to
matter. So 12,000 code points are always safe, and leave 4,000 lexemes for the document's title.
"""

import re
import unicodedata
from itertools import pairwise

MAX_CHUNK_LENGTH = 12_000
"""Code points that a chunk may have whatever it says."""

MAX_WHOLE_LENGTH = 500_000
"""Code points that a chunk may have when its words repeat enough (``lexeme_bound``)."""

_MAX_LEXEMES = 12_000
_RUN = re.compile(r"[^\W_]+")
_BEGINNING = 4  # letters of a longer word, which the multilingual analyzer keeps besides
_HUMP = re.compile(r"(?<=.)[A-Z\u00c0-\U0010ffff]")
# Pieces between ideographs, kana and Hangul, which an analyzer for mixed scripts takes one by one.
_PIECE = re.compile(r"[^\W_\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+")


def fits_lexeme_limit(text: str) -> bool:
    """Whether a chunk of this text can be stored for certain, together with a title of up to 2,000 code points."""
    if len(text) <= MAX_CHUNK_LENGTH:
        return True
    return len(text) <= MAX_WHOLE_LENGTH and lexeme_bound(text) <= _MAX_LEXEMES


def lexeme_bound(text: str) -> int:
    """At least as many as the distinct lexemes of ``text`` under any analyzer, without analysing it.

    Lexemes never cross whitespace, so equal tokens between spaces count once: a plain ASCII word for one, anything else
    for its parts and compounds. To these come all distinct characters beyond ASCII and pairs of them, which analyzers
    of Chinese, Japanese and Korean take for lexemes; the beginnings of words; and of words in camelCase the parts,
    beside the word and its stem.
    """
    bound = 0
    grams: set[str] = set()
    beginnings: set[str] = set()
    for token in set(unicodedata.normalize("NFKC", text).split()):
        core = token.strip("()[]{}<>\"'.,;:!?*`_")
        # `.net`, `::x` and `__init__` are lexemes with what is before or behind them, too.
        bound += token.lstrip("([{<\"'`*").rstrip(")]}>\"'`*.,;:!?") != core
        for run in _RUN.findall(core):
            beginnings.add(run[:_BEGINNING].lower())
            humps = len(_HUMP.findall(run)) if run != run.lower() and run != run.upper() else 0
            bound += humps + 2 if humps else 0
        if core.isascii():
            bound += 1 if core.isalnum() else 2 * len(_RUN.findall(core)) + 1
        else:
            bound += 2 * len(_RUN.findall(core)) + len(_PIECE.findall(core)) + 1
            grams.update(core)
            grams.update(map("".join, pairwise(core)))
    return bound + len(grams) + len(beginnings)
