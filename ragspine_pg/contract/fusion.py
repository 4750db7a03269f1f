"""How several rankings become one. The twins in SQL are ``require_fusion_v1`` and ``leg_weights_v1``."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import isfinite
from numbers import Real
from typing import Any, Final

from ragspine_pg.contract.name import require_text
from ragspine_pg.errors import QueryError

MIN_WEIGHT: Final = 0.000001
MAX_WEIGHT: Final = 1_000_000.0


class FusionMethod(StrEnum):
    """RRF: the sum of weight / (60 + rank), by ranks alone (Cormack, Clarke and Buettcher 2009).

    CONVEX: the weighted sum of scores, each first spread from 0 to 1 within its ranking (Bruch, Gai and Ingber 2023);
    the weights of a library's legs are scaled to a sum of 1.
    """

    RRF = "rrf"
    CONVEX = "convex"


@dataclass(frozen=True, slots=True)
class Fusion:
    """What a call says about fusing; what it leaves out is as the searched version's profile has it.

    ``weights`` of the legs (``lexical``, ``vector``), 1 each by default; ``libraries``: weights by library id, 1 by
    default; ``min_scores``: the least score of a leg. Weights are 0, or from 0.000001 to 1,000,000,
    those of the legs not both 0. Raises ``QueryError`` for anything else.
    """

    method: FusionMethod | str | None = None
    weights: Mapping[str, float] | None = None
    libraries: Mapping[str, float] | None = None
    min_scores: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.method is not None:
            try:
                object.__setattr__(self, "method", FusionMethod(self.method))
            except ValueError:
                raise QueryError(
                    f"fusion's method is one of {', '.join(FusionMethod)}", argument="fusion.method"
                ) from None
        for name, legs in (("weights", True), ("libraries", False), ("min_scores", True)):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value, legs=legs))
        if self.weights is not None and not (self.weights.get("lexical", 1.0) or self.weights.get("vector", 1.0)):
            raise QueryError("the weights of the legs are not both 0", argument="weights")

    @classmethod
    def of(cls, given: "Fusion | str | Mapping[str, Any] | None") -> "Fusion":
        """A fusion as calls write it: itself, the name of a method, or the JSON form. Raises ``QueryError``."""
        if isinstance(given, Fusion):
            return given
        if given is None:
            return cls()
        if isinstance(given, str) and given in tuple(FusionMethod):
            return cls(method=given)
        if isinstance(given, Mapping) and given.keys() <= _KEYS and None not in given.values():
            return cls(**given)
        raise QueryError(
            "fusion takes 'rrf', 'convex', Fusion(...) or a mapping of method, weights, libraries and min_scores",
            argument="fusion",
        )

    def to_json(self) -> dict[str, Any] | None:
        """The JSON form, as SQL callers write it; None when nothing is said."""
        said: dict[str, Any] = {} if self.method is None else {"method": str(self.method)}
        for name in ("weights", "libraries", "min_scores"):
            if (value := getattr(self, name)) is not None:
                said[name] = dict(value)
        return said or None


def leg_weights(
    asked: Fusion,
    profiled: Mapping[str, Any] | None,
    method: FusionMethod,
    library_id: str,
    lexical: bool,
    vector: bool,
) -> tuple[float, float]:
    """The weights of a library's lexical and vector ranking: as asked, else as profiled, times the library's own.

    ``lexical`` and ``vector`` say which legs run; those that do not weigh 0.
    """
    weights = asked.weights if asked.weights is not None else (profiled or {}).get("weights") or {}
    first = float(weights.get("lexical", 1)) if lexical else 0.0
    second = float(weights.get("vector", 1)) if vector else 0.0
    if method is FusionMethod.CONVEX:
        total = first + second
        first, second = (first / total, second / total) if total else (0.0, 0.0)
    whole = float((asked.libraries or {}).get(library_id, 1))
    return first * whole, second * whole


_KEYS: Final = frozenset({"method", "weights", "libraries", "min_scores"})
_CALLED: Final = {"weights": "weights of the legs", "libraries": "weights of libraries", "min_scores": "least scores"}


def _numbers(name: str, value: Any, *, legs: bool) -> dict[str, float]:
    called = _CALLED[name]
    if not isinstance(value, Mapping):
        raise QueryError(f"{called} are a mapping of numbers", argument=name)
    found = {}
    for key, number in value.items():
        if legs and key not in ("lexical", "vector"):
            raise QueryError(f"{called} are those of lexical and vector", argument=name)
        require_text(name, key, QueryError)
        known = isinstance(number, Real | Decimal) and not isinstance(number, bool)
        try:
            found[key] = float(number) if known else float("nan")
        except (OverflowError, ValueError):
            found[key] = float("nan")
        size = abs(found[key])
        least, most = (1e-300, 1e300) if name == "min_scores" else (MIN_WEIGHT, MAX_WEIGHT)
        if not isfinite(size) or (size and not least <= size <= most) or (name != "min_scores" and found[key] < 0):
            range_ = "of a size from 1e-300 to 1e300" if name == "min_scores" else "from 0.000001 to 1000000"
            raise QueryError(f"{called} are 0, or numbers {range_}", argument=name)
    return found
