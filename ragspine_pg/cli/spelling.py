"""Python's way to write arguments, in the spelling of a command: what the facade refuses, it refuses in Python's."""

import re
from collections.abc import Mapping
from typing import Final

# What has options of other names, or none.
_PHRASES: Final = {
    "open(URL)": "give --database URL",
    "open(…, ingest=…), to write": "give --ingest-database URL",
    "open(…, owner=…)": "give --owner-database URL",
    ", or open(…, grant_key=…),": "",
    "; or hand it in: open(…, embedding_models=[model])": "",
    ", or hand in the model it was made with: open(…, embedding_models=[model])": "",
    "Fusion(...) or a mapping of": "or a JSON object of",
    "expand is None or 'parent'": "expand is parent",
    "Fusion(min_scores={'lexical': 1.5})": '--fusion \'{"min_scores": {"lexical": 1.5}}\'',
}
_GIVEN: Final = re.compile(r"""(?<![\w/.'"-])(\w+)=(?:(["'])([^"']*)\2|(True|False))""")
_NAMED: Final = re.compile(r"""(?<![\w/.'"-])[a-z]+(?:_[a-z]+)+(?![\w/.'"=-])""")


def spelled(message: str, options: Mapping[str, str], *, argument: str | None = None) -> str:
    """``message`` with what is an option of the command written as that.

    ``options`` maps the command's parameters to their options, such as ``min_score`` to ``--min-score``; ``argument``
    is the one that the error is about, with which a message may begin. A flag that is no option is one of the
    ``--profile``, and is written as JSON.
    """
    for python, words in _PHRASES.items():
        message = message.replace(python, words)
    message = _GIVEN.sub(lambda found: _given(found, options), message)
    message = _NAMED.sub(lambda found: options.get(found[0], found[0]), message)
    name, space, rest = message.partition(" ")
    return f"{options[name]}{space}{rest}" if name == argument and name in options else message


def _given(found: re.Match[str], options: Mapping[str, str]) -> str:
    name, text, flag = found[1], found[3], found[4]
    if name in options:
        return f"{options[name]} {text}" if flag is None else options[name]
    return found[0] if flag is None else f'"{name}": {flag.lower()}'
