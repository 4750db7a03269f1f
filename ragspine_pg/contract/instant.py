"""Timestamps in metadata: text in RFC 3339, compared as instants. ``sql/functions/read_instant_v1`` reads the same."""

import re
from datetime import UTC, datetime
from typing import Final

# An offset is at most 15:59, the most PostgreSQL knows. A second of 60 is refused: neither language has a place for it.
_FORM: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.([0-9]{1,32}))?"
    r"(?:[Zz]|([+-])(0[0-9]|1[0-5]):([0-5][0-9])))?"
)
_ORIGIN: Final = datetime(1, 1, 1, tzinfo=UTC)


def read_instant(text: str) -> int | None:
    """The instant ``text`` names, in microseconds since 0001-01-01T00:00:00Z, or None when it names none.

    Read are RFC 3339 timestamps with an offset (``2024-05-01T10:00:00.25+02:00``, ``...Z``; ``t``, ``z`` and a space
    for the ``T`` too) and plain dates, which mean their midnight in UTC. Digits after the microsecond are cut off,
    not rounded. A time without an offset names no instant. Years 0001 to 9999 as written.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    date, time, fraction, sign, hours, minutes = found.groups()
    try:
        read = datetime.fromisoformat(f"{date}T{time or '00:00:00'}+00:00")
    except ValueError:
        return None
    passed = read - _ORIGIN
    microseconds = (passed.days * 86_400 + passed.seconds) * 1_000_000 + int((fraction or "0")[:6].ljust(6, "0"))
    if sign is None:
        return microseconds
    offset = (int(hours) * 60 + int(minutes)) * 60_000_000
    return microseconds - offset if sign == "+" else microseconds + offset
