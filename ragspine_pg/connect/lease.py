"""Shared use of one server by many processes, by two locked files.

``guard`` is held alone while a server is made, started or stopped. ``lease`` is held shared by everyone who uses it.
Both are kernel locks (flock): they end with the process, however it ends, so that nothing stale can stay behind.

Forking: a child inherits the open file and with it the lease, which then lasts until the child, too, has closed it or
ended. A lease is given up by closing the file and never by unlocking it, which would end it for the parent as well.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragspine_pg.errors import UnavailableError

_PAUSE_SECONDS = 0.02
_COPY_SECONDS = 0.1


@contextmanager
def guarded(path: Path, *, wait_seconds: float) -> Iterator[None]:
    """Hold the file ``path`` alone; raises ``UnavailableError`` if another process keeps it for ``wait_seconds``."""
    descriptor = _opened(path)
    try:
        deadline = time.monotonic() + wait_seconds
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise UnavailableError(
                    f"another process has been starting or stopping the embedded server for {wait_seconds:.0f} s "
                    f"(it holds {path}); try again, or end that process"
                )
            time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(descriptor)


class Lease:
    """One user's share of a server; take and give it up only inside ``guarded``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = _opened(path)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def give_up(self) -> bool:
        """End this share; true if nobody else holds one any more.

        Asked again for a moment: a program that another thread is starting holds a copy until it has begun.
        """
        os.close(self._descriptor)
        try:
            descriptor = _opened(self._path)
        except FileNotFoundError:  # the whole folder was removed
            return True
        try:
            deadline = time.monotonic() + _COPY_SECONDS
            while not (alone := _locked(descriptor, fcntl.LOCK_EX)) and time.monotonic() < deadline:
                time.sleep(_PAUSE_SECONDS)
            return alone
        finally:
            os.close(descriptor)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
