"""One's turn on what threads share, waited for no longer than there is time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ragspine_pg.errors import UnavailableError


@contextmanager
def turn(lock: "threading.Lock | threading.RLock", wait_seconds: float | None, too_late: str) -> Iterator[None]:
    """Hold ``lock``; raises ``UnavailableError``, worded ``too_late``, when it is not free in ``wait_seconds``."""
    if not lock.acquire(timeout=-1 if wait_seconds is None else wait_seconds):
        raise UnavailableError(too_late)
    try:
        yield
    finally:
        lock.release()
