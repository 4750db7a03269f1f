"""Stage fuse: several rankings into one, by ids and ranks alone."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Protocol, TypeVar

from ragspine_pg.errors import QueryError

MAX_RANKING = 1000
"""The longest ranking that is fused; what comes after is refused."""

RRF_K = 60
"""The constant of reciprocal rank fusion, as in the paper."""


class Ordered(Hashable, Protocol):
    """An id: hashable and ordered, such as a chunk id, or a pair of library id and chunk id."""

    def __lt__(self, other: Any, /) -> bool: ...


Id = TypeVar("Id", bound=Ordered)


def rrf_fuse(
    rankings: Sequence[Iterable[Id]], *, weights: Sequence[float] | None = None, k: int = RRF_K
) -> list[tuple[Id, float]]:
    """Fuse rankings by reciprocal rank: score = sum of weight / (k + rank), rank from 1 by position.

    Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods",
    SIGIR 2009. The sum is taken in the order of ``rankings``, in float64. An id that stands twice in one ranking counts
    once, where it stands first. Ties go to the best single rank, then to the smaller id (strings compare by code point;
    pairs of library id and chunk id by library first).

    Returns pairs of id and score, best first. Raises ``QueryError`` for weights that are not finite, negative, all zero
    or not one a ranking, for a ranking longer than ``MAX_RANKING``, or for a k that is no number from 1 on.
    """
    shares = [1.0] * len(rankings) if weights is None else [_float(weight) for weight in weights]
    if len(shares) != len(rankings):
        raise QueryError("one weight for each ranking, please")
    if not all(math.isfinite(share) and share >= 0 for share in shares) or (shares and not sum(shares) > 0):
        raise QueryError("weights are finite, not negative, and not all zero")
    constant = _float(k)
    if not (math.isfinite(constant) and constant >= 1):
        raise QueryError("k of reciprocal rank fusion is a finite number, at least 1", argument="k")
    score: dict[Id, float] = {}
    best: dict[Id, int] = {}
    for share, ranking in zip(shares, rankings, strict=True):
        seen: set[Id] = set()
        for rank, item in enumerate(ranking, start=1):
            if rank > MAX_RANKING:
                raise QueryError(f"a ranking holds at most {MAX_RANKING} ids")
            if item in seen:
                continue
            seen.add(item)
            score[item] = score.get(item, 0.0) + share / (constant + rank)
            best[item] = min(best.get(item, rank), rank)
    return _ordered(score, best)


def _ordered(score: Mapping[Id, float], best: Mapping[Id, int]) -> list[tuple[Id, float]]:
    """Best first; ties by the best single rank, then by the id."""
    return sorted(score.items(), key=lambda pair: (-pair[1], best[pair[0]], pair[0]))


def _float(value: Any) -> float:
    """The number as a float64; NaN, which is refused, for what is none."""
    try:
        return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


def convex_fuse(rankings: Sequence[Sequence[tuple[Id, float]]], *, weights: Sequence[float]) -> list[tuple[Id, float]]:
    """Fuse rankings of (id, score) by the sum of weight * (score - least) / (most - least), in the order of rankings.

    The min-max normalised convex combination of Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid
    Retrieval", TOIS 2023. Of equal scores each counts 1. Ties as in ``rrf_fuse``.
    """
    score: dict[Id, float] = {}
    best: dict[Id, int] = {}
    for weight, ranking in zip(weights, rankings, strict=True):
        most = max((found for _, found in ranking), default=0.0)
        least = min((found for _, found in ranking), default=0.0)
        for rank, (item, found) in enumerate(ranking, start=1):
            part = weight if most == least else weight * ((found - least) / (most - least))
            score[item] = score.get(item, 0.0) + part
            best[item] = min(best.get(item, rank), rank)
    return _ordered(score, best)
