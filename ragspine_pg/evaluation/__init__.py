"""Judged evaluation of retrieval: datasets, runs, reports, and the comparison of two runs."""

from ragspine_pg.evaluation.compare import Comparison, Difference, compare
from ragspine_pg.evaluation.dataset import Case, Dataset, load_dataset
from ragspine_pg.evaluation.page import write_report
from ragspine_pg.evaluation.report import CaseResult, EvaluationReport
from ragspine_pg.evaluation.run import evaluate

__all__ = [
    "Case",
    "CaseResult",
    "Comparison",
    "Dataset",
    "Difference",
    "EvaluationReport",
    "compare",
    "evaluate",
    "load_dataset",
    "write_report",
]
