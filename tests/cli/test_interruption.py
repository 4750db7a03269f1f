"""Ctrl-C silences the driver's loggers for the rest of the command, and for no longer."""

import logging
import signal
from collections.abc import Iterator

import pytest

from ragspine_pg.cli.interruption import quiet_when_interrupted
from tests.cli.conftest import invoke

LOGGERS = [logging.getLogger(name) for name in ("psycopg", "psycopg.pool")]


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """A shell that starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def loud() -> list[bool]:
    return [logger.isEnabledFor(logging.WARNING) for logger in LOGGERS]


def test_the_driver_is_silent_from_the_interruption_on() -> None:
    said: list[list[bool]] = []
    with quiet_when_interrupted():
        said.append(loud())
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        said.append(loud())
    assert said == [[True, True], [False, False]]
    assert loud() == [True, True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(("options", "expected"), [((), [False, False]), (("--debug",), [True, True])])
def test_a_command_is_run_so_unless_it_is_debugged(
    options: tuple[str, ...], expected: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[list[bool]] = []

    def interrupted(*_: object, **__: object) -> str:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            said.append(loud())
        return ""

    monkeypatch.setattr("ragspine_pg.cli.connection.ServiceConfig.load", interrupted)
    ended = invoke("stats", "acme/x", *options)
    assert (ended.status, said) == (130, [expected])
