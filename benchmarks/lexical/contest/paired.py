"""Whether one ranking is better than another over the same queries: a paired bootstrap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

_LOT = 1000


@dataclass(frozen=True)
class Interval:
    """The mean of differences, and what it is in 95 of 100 resamples of the queries."""

    mean: float
    low: float
    high: float

    @property
    def below(self) -> bool:
        """Whether it is significantly less than nothing."""
        return self.high < 0


def bootstrap(differences: Sequence[float], resamples: int = 10_000, seed: int = 0) -> Interval:
    """The mean of ``differences`` with its 95 % percentile interval (Efron and Tibshirani 1993)."""
    values = numpy.asarray(differences, dtype=numpy.float64)
    draw = numpy.random.default_rng(seed)
    means = [
        values[draw.integers(0, len(values), size=(min(_LOT, resamples - first), len(values)))].mean(axis=1)
        for first in range(0, resamples, _LOT)
    ]
    low, high = numpy.percentile(numpy.concatenate(means), [2.5, 97.5])
    return Interval(float(values.mean()), float(low), float(high))
