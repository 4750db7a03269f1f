"""Whether two runs differ by more than chance."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.evaluation.report import EvaluationReport


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure in both runs: means, ``difference`` = second − first, and its two-sided p value.

    ``better``, ``equal`` and ``worse`` count the cases in which the second run has the larger, same, smaller value.
    """

    first: float
    second: float
    difference: float
    p_value: float
    better: int
    equal: int
    worse: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the same cases, measure by measure."""

    dataset: str
    dataset_version: str
    queries: int
    differences: Mapping[str, Difference]

    def to_json(self) -> str:
        """One JSON object of all fields."""
        return canonical_json(asdict(self))


def compare(
    first: EvaluationReport, second: EvaluationReport, *, permutations: int = 9999, seed: int = 0
) -> Comparison:
    """Compare two runs over one dataset by a paired randomisation test (Smucker, Allan and Carterette 2007).

    Under the null hypothesis each case's two values could as well be swapped; the p value is the share of swaps whose
    mean difference is at least as far from 0 as the one seen. All swaps are counted where they are no more than
    ``permutations``, else that many are drawn from ``seed``: the same runs give the same figures.

    Raises ``ConfigurationError`` when the runs have not the same cases of the same dataset version, or without the
    extra ``evaluate``.
    """
    try:
        import numpy
        from scipy.stats import permutation_test
    except ImportError:
        raise ConfigurationError("a comparison needs scipy: pip install 'ragspine-pg[evaluate]'") from None
    if first.dataset_version != second.dataset_version:
        raise ConfigurationError("the runs are over different datasets, or different versions of one")
    ids = [case.query_id for case in first.cases]
    if ids != [case.query_id for case in second.cases]:
        raise ConfigurationError("the runs have not the same cases")
    differences = {}
    for name in first.metrics:
        one, other = (numpy.array([case.values[name] for case in report.cases]) for report in (first, second))
        gains = other - one
        differing = numpy.flatnonzero(gains)  # a swap of equal values changes nothing, so it need not be tried
        p_value = 1.0
        if len(differing) > 1:
            # Swapping a pair flips the sign of its difference, so one sample of signs is the whole test.
            p_value = float(
                permutation_test(
                    (one[differing], other[differing]),
                    lambda x, y, axis: numpy.sum(y - x, axis=axis),
                    permutation_type="samples",
                    vectorized=True,
                    n_resamples=permutations,
                    batch=100,
                    rng=numpy.random.default_rng(seed),
                ).pvalue
            )
        differences[name] = Difference(
            first=first.metrics[name],
            second=second.metrics[name],
            difference=float(numpy.mean(gains)),
            p_value=p_value,
            better=int(numpy.count_nonzero(gains > 0)),
            equal=len(ids) - len(differing),
            worse=int(numpy.count_nonzero(gains < 0)),
        )
    return Comparison(first.dataset, first.dataset_version, len(ids), differences)
