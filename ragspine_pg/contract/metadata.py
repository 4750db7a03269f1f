"""Metadata: a JSON object whose numbers keep their exact value."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import InvalidDocument

MAX_DEPTH: Final = 64
"""How many levels of objects and lists metadata has at most; the metadata object itself is the first."""


def freeze_metadata(metadata: Mapping[str, Any], *, document: str | None = None) -> dict[str, Any]:
    """A deep copy with JSON types only: str, bool, None, int, Decimal, list, dict.

    A float becomes the ``Decimal`` of its shortest decimal form, so that ``0.1`` means one tenth in Python and in SQL.
    Raises ``InvalidDocument`` naming the key path on NUL, a lone surrogate, NaN, infinity, a number PostgreSQL's
    numeric cannot hold, a key that is no string, a type JSON does not have, or more than ``MAX_DEPTH`` levels (which
    what contains itself has too).
    """
    frozen = _freeze(metadata, "metadata", document, 1)
    if not isinstance(frozen, dict):
        raise InvalidDocument("metadata is a JSON object", document=document)
    return frozen


def _freeze(value: Any, path: str, document: str | None, level: int) -> Any:
    if level > MAX_DEPTH and isinstance(value, (Mapping, list, tuple)):
        # Without the path, which is long here.
        raise InvalidDocument(f"metadata nests at most {MAX_DEPTH} levels deep; flatten it", document=document)
    match value:
        case None | bool():
            return value
        case str():
            if unstorable_offset(value) is not None:
                raise InvalidDocument(f"{path} holds a NUL or a lone surrogate", document=document, field=path)
            return str(value)
        case int():
            return _number(Decimal(value), int(value), path, document)
        case float():
            if not math.isfinite(value):
                raise InvalidDocument(f"{path} is not a finite number", document=document, field=path)
            exact = Decimal(repr(float(value)))  # a subclass may have a repr of its own, as numpy.float64 has
            return _number(exact, exact, path, document)
        case Decimal():
            if not value.is_finite():
                raise InvalidDocument(f"{path} is not a finite number", document=document, field=path)
            return _number(value, value, path, document)
        case Mapping():
            copied = {}
            for key, item in value.items():
                if not isinstance(key, str) or unstorable_offset(key) is not None:
                    raise InvalidDocument(
                        f"a key under {path} is not a string, or holds a NUL or a lone surrogate", document=document
                    )
                copied[str(key)] = _freeze(item, f"{path}.{key}", document, level + 1)
            return copied
        case list() | tuple():
            return [_freeze(item, f"{path}[{at}]", document, level + 1) for at, item in enumerate(value)]
        case _:
            raise InvalidDocument(
                f"{path} is a {type(value).__name__}, which JSON does not have", document=document, field=path
            )


def _number(exact: Decimal, kept: int | Decimal, path: str, document: str | None) -> int | Decimal:
    # numeric holds 131072 digits before the point and 16383 after it; both bounds are kept far away from.
    if (exact and not -1000 <= exact.adjusted() <= 1000) or len(exact.as_tuple().digits) > 1000:
        raise InvalidDocument(f"{path} is a number of more than 1000 digits", document=document, field=path)
    return kept


def dump_json(value: Any) -> str:
    """JSON text of frozen metadata (or a filter) for the driver; every number keeps all its digits."""
    match value:
        case bool() | None | str():
            return json.dumps(value, ensure_ascii=False)
        case int() | Decimal():
            return format(value, "d") if isinstance(value, int) else format(value, "f")
        case dict():
            return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{dump_json(v)}" for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(dump_json(item) for item in value) + "]"
    raise TypeError(f"{type(value).__name__} is not a JSON type")


def load_json(text: str | bytes) -> Any:
    """The inverse: integers as ``int``, other numbers as ``Decimal``."""
    return json.loads(text, parse_float=Decimal)
