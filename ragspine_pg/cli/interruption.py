"""What Ctrl-C does to a command, besides ending it."""

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_DRIVER: Final = ("psycopg", "psycopg.pool")


@contextmanager
def quiet_when_interrupted() -> Iterator[None]:
    """From Ctrl-C on, the driver's loggers are silent: that a transaction could not be rolled back on a connection that
    is given up, or was closed when it came back, says nothing that the command's own last line does not.

    Until then, and for whoever uses the package as a library, they say what they say. Outside the main thread, or where
    somebody else handles the signal, nothing is done.
    """
    handled = threading.current_thread() is threading.main_thread()
    if not handled or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    loggers = [logging.getLogger(name) for name in _DRIVER]
    levels = [logger.level for logger in loggers]

    def interrupt(number: int, frame: FrameType | None) -> None:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
