"""What is said of an exception of an application's own code, which may hold the texts that the code was given."""

import logging
import traceback
from typing import Final

LOGGER: Final = logging.getLogger("ragspine_pg")
"""The one logger of this package. What goes there names ids, types and places, and quotes no text."""


def log_fault(what: str, error: BaseException) -> None:
    """Log at WARNING that ``what`` raised: the exception's type and the line that did it, never its message or args.

    The error that the caller gets is not chained to the exception, so this is where the fault is found.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    where = f"{frames[-1][0].f_code.co_filename}:{frames[-1][1]}" if frames else "an unknown place"
    LOGGER.warning("%s raised %s at %s", what, name, where)
