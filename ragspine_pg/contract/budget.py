"""What calls may spend on models."""

import threading

from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import BudgetExceeded, ConfigurationError


class Budget:
    """How many requests to models, and how many tokens, the calls may spend that share it; None for no limit.

    Handed to one call, or to all of a conversation, in ``RetrievalContext(budget=…)``. It is asked before each request
    to a model (a query that is embedded, hits that are reranked), wherever that runs, and charged with what the request
    cost. What it costs is known only afterwards, so the last request can go beyond, as can those that run beside it;
    attempts of one request, such as after HTTP 429, count one call each. A request that fails counts too, as one call
    at least.

    Safe to share between threads. Raises ``ConfigurationError`` for a limit that is no whole number from 0 on.
    """

    def __init__(self, calls: int | None = None, tokens: int | None = None) -> None:
        for name, limit in (("calls", calls), ("tokens", tokens)):
            if limit is not None and (type(limit) is not int or limit < 0):
                raise ConfigurationError(
                    f"{name} of a Budget is a whole number from 0 on, or None for no limit", argument=name
                )
        self._calls, self._tokens = calls, tokens
        self._lock = threading.Lock()
        self._spent = Usage()

    @property
    def calls(self) -> int | None:
        """The limit of calls."""
        return self._calls

    @property
    def tokens(self) -> int | None:
        """The limit of tokens."""
        return self._tokens

    @property
    def spent(self) -> Usage:
        """What was spent up to now; ``seconds`` is the time of all requests, one after the other."""
        with self._lock:
            return self._spent

    def take(self) -> None:
        """Spend one call on a request that is about to be made; what else it costs is for ``charge``.

        Raises ``BudgetExceeded`` where a limit has been reached, and spends nothing then.
        """
        with self._lock:
            for name, limit, spent in (
                ("calls", self._calls, self._spent.calls),
                ("tokens", self._tokens, self._spent.tokens),
            ):
                if limit is not None and spent >= limit:
                    raise BudgetExceeded(
                        f"budget: {spent:,} of {limit:,} {name} are spent, so that no model is asked any more:"
                        " give the call another Budget, or one with a higher limit",
                        limit=name,
                        allowed=limit,
                        spent=spent,
                    )
            self._spent += Usage(calls=1)

    def charge(self, usage: Usage) -> None:
        """Add what was spent, whatever the limits. A number below 0 counts as 0: nothing is ever given back.

        Raises ``ConfigurationError`` for what is no ``Usage``.
        """
        if not isinstance(usage, Usage):
            raise ConfigurationError("usage is a Usage", argument="usage")
        added = Usage(max(0, usage.items), max(0, usage.tokens), max(0, usage.calls), max(0.0, usage.seconds))
        with self._lock:
            self._spent += added

    def __repr__(self) -> str:
        return f"Budget(calls={self._calls}, tokens={self._tokens}, spent={self.spent})"
