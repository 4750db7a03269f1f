"""Tells a caller how far a long call is."""

import time
from collections.abc import Callable
from typing import TypeAlias

from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError

OnProgress: TypeAlias = Callable[[Progress], None]


class Meter:
    """Measures stages and hands ``Progress`` to a callback; what the callback raises ends the call, nothing is kept."""

    def __init__(self, callback: OnProgress | None = None) -> None:
        if callback is not None and not callable(callback):
            raise ConfigurationError("progress is a function that takes a Progress", argument="progress")
        self._callback = callback
        self._began = self._stage_began = time.monotonic()
        self._stage = ""

    @property
    def seconds(self) -> float:
        """Seconds since the call began."""
        return time.monotonic() - self._began

    def report(self, stage: str, done: int, total: int | None = None) -> None:
        """Say that ``done`` of ``total`` are through ``stage``."""
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._stage_began = stage, now
        if self._callback is not None:
            elapsed = now - self._stage_began
            rate = done / elapsed if elapsed > 0 else 0.0
            self._callback(Progress(stage, done, total, now - self._began, rate))
