"""What a call cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of a call, as observed by this host. It is no part of canonical JSON.

    ``items``, ``tokens`` and ``calls`` count what was sent to models (nothing in economy mode); ``seconds`` is the wall
    time of the whole call.
    """

    items: int = 0
    tokens: int = 0
    calls: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(
            self.items + other.items,
            self.tokens + other.tokens,
            self.calls + other.calls,
            self.seconds + other.seconds,
        )
