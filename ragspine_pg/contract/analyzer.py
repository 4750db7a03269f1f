"""The name of an analyzer: ``base[+option...]``, or several with commas between. What is known of it, SQL says."""

import re
from typing import Final

_MULTILINGUAL: Final = "multilingual"
# Lexemes per code point of a base, as measured on judged collections (docs/adr/0002, docs/adr/0014).
_SHARES: Final = {"cjk": 3 / 4, "simple": 1 / 6, _MULTILINGUAL: 1 / 4}
_SHARE_OF_LANGUAGE: Final = 1 / 10


def canonical_analyzer(name: str) -> str:
    """The one spelling under which an analyzer is stored: ``english+code+fold`` for ``english+fold+code``.

    Options in code-point order, no spaces around the members of a list, the first of a list first and the others in
    code-point order (documents of no other's language are the first's; the rest is no order). ``multilingual`` folds
    anyway. A name that is unknown, or says something twice, is left to the database to refuse.
    """
    members = re.split(" *, *", name.strip(" ")) if "," in name else [name]
    first, *others = map(_canonical, members)
    return ",".join([first, *sorted(others)])


def lexemes_per_code_point(name: str) -> float:
    """About how many lexemes a text has, by its length in code points; of a list, those of the first."""
    base = name.split(",")[0].split("+")[0]
    return _SHARES.get(base, _SHARE_OF_LANGUAGE)


def _canonical(member: str) -> str:
    base, *options = member.split("+")
    if base == _MULTILINGUAL and options.count("fold") == 1:
        options.remove("fold")
    return "+".join([base, *sorted(options)])
