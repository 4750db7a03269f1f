"""What may be stored as text at all: PostgreSQL text holds neither NUL nor lone surrogates."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def unstorable_offset(text: str) -> int | None:
    """Offset in code points of the first NUL or lone surrogate in ``text``, or None."""
    found = _UNSTORABLE.search(text)
    return None if found is None else found.start()


def replace_unstorable(text: str) -> str:
    """``text`` with each NUL and lone surrogate replaced by U+FFFD; offsets in code points stay the same."""
    return _UNSTORABLE.sub("�", text)
