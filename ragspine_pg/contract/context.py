"""What bounds a call: a deadline, a way to cancel it, and what it may spend."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from ragspine_pg.contract.budget import Budget
from ragspine_pg.contract.idempotency import require_key
from ragspine_pg.errors import Cancelled, ConfigurationError, DeadlineExceeded

_LONGEST_SECONDS = (2**31 - 1) / 1000


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock after which an answer is of no use. It can only be tightened.

    Raises ``ConfigurationError`` for what is no finite number.
    """

    at: float

    def __post_init__(self) -> None:
        if not _is_finite(self.at):
            raise ConfigurationError("a deadline's at is a finite number of seconds", argument="at")

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """The deadline ``seconds`` from now; raises ``ConfigurationError`` for a negative or infinite number."""
        if not _is_finite(seconds) or seconds < 0:
            raise ConfigurationError("a deadline's seconds are a finite number, zero or more", argument="seconds")
        return cls(time.monotonic() + float(seconds))

    def tighten(self, seconds: float) -> "Deadline":
        """The earlier of this deadline and ``seconds`` from now."""
        return min(self, Deadline.after(seconds), key=lambda deadline: deadline.at)

    def remaining(self) -> float:
        """Seconds left, at most 24 days' (what timers take); raises ``DeadlineExceeded`` when there are none."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise DeadlineExceeded("the deadline passed")
        return min(left, _LONGEST_SECONDS)


class Cancellation:
    """Handed to a call by one thread and cancelled by another; the server is told to stop the running statement."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._stop: Callable[[], None] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop the call that runs under this cancellation, and every later one."""
        with self._lock:
            self._cancelled = True
            if self._stop is not None:
                self._stop()

    def bind(self, stop: Callable[[], None] | None) -> None:
        """Called by the client around a call: what ``cancel`` does to it; None when it is over.

        Raises ``Cancelled`` for a call that was cancelled before it could be stopped.
        """
        with self._lock:
            self._stop = stop
        if stop is not None:
            self.check()

    def check(self) -> None:
        """Raise ``Cancelled`` once cancelled."""
        if self._cancelled:
            raise Cancelled("the call was cancelled")


@dataclass(frozen=True, slots=True)
class RetrievalContext:
    """Bounds of one call; without any, it runs until it is done. Raises ``ConfigurationError`` for other types.

    ``allow_partial``: a hybrid search whose vector leg fails (the model cannot be reached, or half of the time that is
    left does not do, or the budget is spent) gives the lexical leg's hits, with the warning
    ``vector_leg_failed:<code>``; else it is an error. A model is handed that half as its deadline and has to heed it:
    one that computes in this process cannot be interrupted, so one that takes longer than the whole deadline leaves
    no time for the hits by words, and the search is ``DeadlineExceeded`` when it comes back.

    ``budget``: what the call may spend on models, together with all others that are handed the same one.

    ``idempotency_key``: a name of this one call, given again when the application makes it again. A model behind a
    service sends it as the header ``Idempotency-Key``, each request with an addition of its own, the same for each
    attempt, so that a service which heeds it does nothing twice. It is 1 to 200 visible ASCII characters, and is sent
    as it is: it should say nothing about anybody.
    """

    deadline: Deadline | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)
    allow_partial: bool = False
    budget: Budget | None = None
    idempotency_key: str | None = None

    def __post_init__(self) -> None:
        if self.deadline is not None and not isinstance(self.deadline, Deadline):
            raise ConfigurationError("deadline is a Deadline: Deadline.after(seconds)", argument="deadline")
        if not isinstance(self.cancellation, Cancellation):
            raise ConfigurationError("cancellation is a Cancellation", argument="cancellation")
        if self.budget is not None and not isinstance(self.budget, Budget):
            raise ConfigurationError("budget is a Budget: Budget(calls=…, tokens=…)", argument="budget")
        if self.idempotency_key is not None:
            require_key(self.idempotency_key)

    def for_one_leg(self) -> "RetrievalContext":
        """The bounds of a part without which the rest can go on: where it may, half of the time that is left."""
        if self.deadline is None or not self.allow_partial:
            return self
        return replace(self, deadline=self.deadline.tighten(self.deadline.remaining() / 2))

    def check(self) -> None:
        """Raise ``Cancelled`` or ``DeadlineExceeded`` when the call is over before its end."""
        self.cancellation.check()
        if self.deadline is not None:
            self.deadline.remaining()


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False
