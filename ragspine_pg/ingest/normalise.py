"""Stage normalise: what is stored keeps the source's own characters, but for its line ends."""

from collections.abc import Mapping
from typing import Any

from ragspine_pg.contract.text import replace_unstorable, unstorable_offset
from ragspine_pg.errors import InvalidDocument


def normalise_text(source_id: str, text: str, *, replace: bool = False) -> str:
    """``text`` with line ends unified to ``\\n`` (from ``\\r\\n`` and a lone ``\\r``), nothing else changed.

    A NUL or lone surrogate is refused as ``InvalidDocument`` with its offset in code points of the text as given, or
    replaced by U+FFFD when ``replace`` is set. Folding and NFKC belong to analysis, never to storage.
    """
    offset = unstorable_offset(text)
    if offset is not None:
        if not replace:
            raise InvalidDocument(
                f"{source_id} holds a NUL or a lone surrogate at offset {offset}; remove or replace it",
                document=source_id,
                offset=offset,
            )
        text = replace_unstorable(text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def replace_everywhere(value: Any) -> Any:
    """A JSON value with U+FFFD for each NUL and lone surrogate in its strings, keys included."""
    match value:
        case str():
            return replace_unstorable(value)
        case Mapping():
            return {replace_unstorable(key): replace_everywhere(item) for key, item in value.items()}
        case list():
            return [replace_everywhere(item) for item in value]
        case _:
            return value
