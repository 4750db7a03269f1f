"""From an error to one line on stderr and an exit status."""

import sys
import traceback
from collections.abc import Mapping
from typing import Final

from ragspine_pg.cli.spelling import spelled
from ragspine_pg.cli.terminal import one_line
from ragspine_pg.errors import (
    Cancelled,
    DeadlineExceeded,
    IngestError,
    NotFound,
    RagSpineError,
    UnavailableError,
    VerificationFailed,
)

SYSTEM: Final = 1
"""A failure of the system: the database is away, the disk is full, a fault of ours."""

MISTAKE: Final = 2
"""A mistake of the user's, which the message says how to mend."""

INTERRUPTED: Final = 130
"""Ctrl-C, as shells report it."""

BROKEN_PIPE: Final = 141
"""The reader of our output went away, as shells report it."""

_SYSTEM_ERRORS = (UnavailableError, VerificationFailed, DeadlineExceeded, Cancelled)


class Mistake(RagSpineError):
    """An argument of the command line that cannot be used as it is."""

    code = "command_line"


def say(message: str, *, name: str = "ragspine-pg") -> None:
    """Write ``message`` to stderr."""
    sys.stderr.write(f"{name}: {message}\n")
    sys.stderr.flush()


def explain_failure(error: BaseException, *, debug: bool, options: Mapping[str, str] | None = None) -> int:
    """Say in one line what went wrong, in the spelling of the command's ``options``; the exit status.

    With ``debug`` the traceback comes before it.
    """
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    status, message = _judge(error, options or {})
    say(one_line(message))
    return status


def _judge(error: BaseException, options: Mapping[str, str]) -> tuple[int, str]:
    match error:
        case RagSpineError():
            # The plain class stands for what the database reported and nobody expected.
            system = type(error) is RagSpineError or isinstance(error, _SYSTEM_ERRORS)
            return (SYSTEM if system else MISTAKE), _named(error, options)
        case KeyboardInterrupt():
            return INTERRUPTED, "interrupted"
        case OSError():
            where = f" {error.filename}" if error.filename else ""
            return SYSTEM, f"the system refuses{where}: {error.strerror or type(error).__name__}"
        case SystemExit():
            return (error.code if isinstance(error.code, int) else SYSTEM), "ended"
        case _:
            # Its message could quote a document; the traceback is for those who ask for it.
            return SYSTEM, f"unexpected {type(error).__name__}; run the command again with --debug and report it"


def _named(error: RagSpineError, options: Mapping[str, str]) -> str:
    """The message, with the document it is about where the message alone does not say."""
    if isinstance(error, Mistake):
        return str(error)
    argument = error.ids.get("argument")
    message = spelled(str(error), options, argument=None if argument is None else str(argument))
    document = error.ids.get("document")
    if isinstance(error, NotFound) and error.ids.get("missing") == "library":
        name = f"{error.ids['tenant']}/{error.ids['library']}"
        return f"{message}: `ragspine-pg create {name}` makes it, `ragspine-pg libraries` lists those there are"
    if isinstance(error, IngestError) and document is not None and str(document) not in message:
        return f"document {document}: {message}"
    return message
