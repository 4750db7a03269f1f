"""The measures of a ranking, computed by ir-measures (pytrec_eval: nDCG with linear gain, as trec_eval has it)."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from ragspine_pg.errors import ConfigurationError
from ragspine_pg.evaluation.dataset import Case

MEASURES = ("nDCG@10", "P@10", "R@10", "R@100", "RR")
"""nDCG and precision of the first 10 documents, recall of the first 10 and 100, reciprocal rank of the first relevant
one (within what was searched). A document is relevant from grade 1."""


def check_installed() -> None:
    """Raise ``ConfigurationError`` when the extra ``evaluate`` is not installed."""
    if find_spec("ir_measures") is None:
        raise ConfigurationError("evaluation needs ir-measures: pip install 'ragspine-pg[evaluate]'")


def measure(cases: Sequence[Case], rankings: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Each case's value of each of ``MEASURES``, by query id; ``rankings`` holds document ids, best first.

    Raises ``ConfigurationError`` when the extra ``evaluate`` is not installed.
    """
    check_installed()
    import ir_measures  # an extra, and slow to import

    judged = [
        ir_measures.Qrel(case.query_id, document_id, grade)
        for case in cases
        for document_id, grade in case.grades.items()
    ]
    # Scores that fall with the rank: trec_eval orders by score and would break ties its own way.
    ranked = [
        ir_measures.ScoredDoc(query_id, document_id, float(-rank))
        for query_id, ranking in rankings.items()
        for rank, document_id in enumerate(ranking)
    ]
    values = {case.query_id: dict.fromkeys(MEASURES, 0.0) for case in cases}
    parsed = [ir_measures.parse_measure(name) for name in MEASURES]
    for metric in ir_measures.iter_calc(parsed, judged, ranked):
        values[metric.query_id][str(metric.measure)] = float(metric.value)
    return values
