"""How settings are called in the environment; what they are is in ``ragspine_pg.config``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ragspine_pg.errors import ConfigurationError

PREFIX: Final = "RAGSPINE_"


def variable(setting: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + setting.upper()


@contextmanager
def set_by(setting: str, **options: str) -> Iterator[None]:
    """Makes something as ``setting`` says, with options that other settings say: option to setting.

    A ``ConfigurationError`` that is raised inside says, besides, which variables set it.
    """
    try:
        yield
    except ConfigurationError as error:
        told = [variable(setting), *(f"{option} by {variable(name)}" for option, name in options.items())]
        raise type(error)(f"{error} (set by {', '.join(told)})", **error.ids) from None
