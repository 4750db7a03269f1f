"""Names and texts that a caller hands in: what may be one is judged here, by one rule, before the database sees it."""

from collections.abc import Iterable
from typing import Any

from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import RagSpineError

MAX_NAME_BYTES = 1024
"""The longest name (of a tenant, library, document, principal or field), in bytes of UTF-8: all stand in indexes."""


def require_text(argument: str, value: Any, error: type[RagSpineError], **ids: str | int | None) -> str:
    """``value`` if it is a string that PostgreSQL can be sent: neither NUL nor lone surrogate.

    Else raises ``error``, naming ``argument`` and the offset in code points, never the value.
    """
    fault = _text_fault(value)
    if fault is not None:
        raise error(f"{argument} {fault[0]}", argument=argument, offset=fault[1], **ids)
    return str(value)


def require_name(argument: str, value: Any, error: type[RagSpineError], **ids: str | int | None) -> str:
    """``value`` if it is a name: a text that is not blank, within ``MAX_NAME_BYTES``. Raises as ``require_text``."""
    fault = name_fault(value)
    if fault is not None:
        raise error(f"{argument} {fault[0]}", argument=argument, offset=fault[1], **ids)
    return str(value)


def require_names(argument: str, values: Any, error: type[RagSpineError], **ids: str | int | None) -> frozenset[str]:
    """``values`` as a set, if it is a collection of names and not one string. Raises as ``require_text``."""
    if isinstance(values, str):
        raise error(f"{argument} is a collection of names, not one string", argument=argument, **ids)
    if not isinstance(values, Iterable):
        raise error(f"{argument} is a collection of names, not a {type(values).__name__}", argument=argument, **ids)
    names = set()
    for value in values:
        fault = name_fault(value)
        if fault is not None:
            raise error(f"one of {argument} {fault[0]}", argument=argument, offset=fault[1], **ids)
        names.add(str(value))
    return frozenset(names)


def name_fault(value: Any) -> tuple[str, int | None] | None:
    """What is wrong with a name, to follow its subject in a sentence, and at which offset; None if nothing is."""
    fault = _text_fault(value)
    if fault is not None:
        return fault
    if not value.strip():
        return "is a non-blank string", None
    if len(value.encode()) > MAX_NAME_BYTES:
        return f"has at most {MAX_NAME_BYTES} bytes of UTF-8", None
    return None


def _text_fault(value: Any) -> tuple[str, int | None] | None:
    if not isinstance(value, str):
        return f"is a string, not a {type(value).__name__}", None
    offset = unstorable_offset(value)
    if offset is not None:
        return f"holds a NUL or a lone surrogate at offset {offset}; remove or replace it", offset
    return None
