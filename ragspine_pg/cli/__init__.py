"""The command line: thin doors to the facade, which turn arguments into calls and results into text or JSON.

This module imports nothing heavy: ``main`` answers Ctrl-C while the rest is loaded, too.
"""

import os
import signal
import sys
from typing import NoReturn

__all__ = ["main"]

_INTERRUPTED = 130  # as shells report it; failure.INTERRUPTED is behind the imports


def main() -> None:
    """The console script ``ragspine-pg``: runs the command of ``sys.argv`` and ends the process with its status."""
    before = signal.getsignal(signal.SIGINT)
    # A shell that runs us in the background has SIGINT ignored, and so it stays.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    try:
        from ragspine_pg.cli.commands import app
    finally:
        signal.signal(signal.SIGINT, before)
    app(prog_name="ragspine-pg")


def _leave(*_: object) -> NoReturn:
    """Nothing has begun yet, so nothing is left behind; an exception out of a half-made import could be anything."""
    sys.stderr.write("ragspine-pg: interrupted\n")
    sys.stderr.flush()
    os._exit(_INTERRUPTED)
