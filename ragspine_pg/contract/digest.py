"""SHA-256, for threads that hash beside an event loop."""

import hashlib
from typing import Final

PIECE: Final = 2047
"""The most bytes that ``hashlib`` hashes without letting go of Python's lock."""


def sha256_hex(data: bytes) -> str:
    """The digest in lower-case hex.

    In pieces for which ``hashlib`` keeps the lock: a thread that lets go of it for microseconds, again and again, has
    it back before a thread that waits has woken, and that one's patience starts anew each time. An event loop beside an
    ingest waited for 110 ms, and with this for 25 (docs/adr/0009).
    """
    digest = hashlib.sha256()
    view = memoryview(data)
    for start in range(0, len(view), PIECE):
        digest.update(view[start : start + PIECE])
    return digest.hexdigest()
