"""Text that is searched as it stands, whatever it would say as a query."""

import re
from typing import Final

_SIGNS: Final = "+\\-\u207a\u208a\ufb29\ufe62\ufe63\uff0b\uff0d"
_STARS: Final = "*\ufe61\uff0a"
_QUOTES: Final = '"\u00ab\u00bb\u201c-\u201f\u301d-\u301f\uff02'
_UNSEEN: Final = "\u115f\u1160\u3164\uffa0"  # letters to Python, and not there to the query language
_OPERATORS: Final = re.compile(
    rf"[{_QUOTES}]|(?<![^\W{_UNSEEN}])(?<![{_SIGNS}])[{_SIGNS}]+|[{_STARS}]+(?![^\W{_UNSEEN}])"
)


def plain_query(text: str) -> str:
    """``text`` without what could be an operator of the query language: its words, searched as words.

    For texts that nobody wrote as queries, such as a question in running prose or a model's draft: a title in quotes
    would be demanded. Double quotes, signs at a word's beginning and stars at its end become spaces, which no analyzer
    tells from them but in identifiers (``+code``). A text without any is given back as it is.
    """
    return _OPERATORS.sub(" ", text)
