"""What an evaluation found."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import ceil, fsum
from typing import Any

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One query: its values by measure, milliseconds as this host saw them, and the first documents found.

    ``relevant`` maps each of ``found`` that is judged to its grade; ``judged_relevant`` counts all relevant documents.
    """

    query_id: str
    text: str
    values: Mapping[str, float]
    milliseconds: float
    found: tuple[str, ...]
    relevant: Mapping[str, int]
    judged_relevant: int


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """A run over a dataset: cases in the dataset's order, and what they ran against.

    ``profile`` is the index version's, ``documents`` and ``chunks`` what it holds. ``left_out`` counts the queries that
    were not searched because the embedding model has no vector for them. ``usage`` sums the searches, not the ingest.
    ``warnings`` are sentences about what makes the figures say little, such as relevant documents that are not there.
    """

    dataset: str
    dataset_version: str
    mode: str
    library: str
    index_version: int
    profile: Mapping[str, Any]
    documents: int
    chunks: int
    cases: tuple[CaseResult, ...]
    left_out: int = 0
    usage: Usage = field(default_factory=Usage, compare=False)
    warnings: tuple[str, ...] = ()

    @property
    def queries(self) -> int:
        """How many queries were searched: those with a relevant document, but for those left out."""
        return len(self.cases)

    @property
    def metrics(self) -> dict[str, float]:
        """The mean of each measure over the cases."""
        return {name: fsum(case.values[name] for case in self.cases) / len(self.cases) for name in self.cases[0].values}

    @property
    def latency_ms(self) -> dict[str, float]:
        """Percentiles of the cases' milliseconds: ``p50`` and ``p95``, each a value that was seen (nearest rank)."""
        seen = sorted(case.milliseconds for case in self.cases)
        return {f"p{percent}": seen[ceil(len(seen) * percent / 100) - 1] for percent in (50, 95)}

    def to_json(self, *, cases: bool = False) -> str:
        """One JSON object: the run's figures, and with ``cases`` all that ``from_json`` and ``compare`` need.

        ``left_out`` and ``warnings`` are there where there are some.
        """
        written: dict[str, Any] = {
            "dataset": self.dataset,
            "dataset_version": self.dataset_version,
            "mode": self.mode,
            "queries": self.queries,
            "metrics": self.metrics,
            "latency_ms": self.latency_ms,
            "usage": asdict(self.usage),
        }
        if self.left_out:
            written["left_out"] = self.left_out
        if self.warnings:
            written["warnings"] = list(self.warnings)
        if cases:
            written |= {
                "library": self.library,
                "index_version": self.index_version,
                "profile": dict(self.profile),
                "documents": self.documents,
                "chunks": self.chunks,
                "cases": [{**asdict(case), "found": list(case.found)} for case in self.cases],
            }
        return canonical_json(written)

    @classmethod
    def from_json(cls, written: str) -> "EvaluationReport":
        """The report that ``to_json(cases=True)`` wrote. Raises ``ConfigurationError`` for anything else."""
        try:
            fields = json.loads(written)
            cases = tuple(CaseResult(**{**case, "found": tuple(case["found"])}) for case in fields.pop("cases"))
            for name in ("queries", "metrics", "latency_ms"):
                del fields[name]  # they follow from the cases
            warnings = tuple(fields.get("warnings", ()))
            return cls(**{**fields, "cases": cases, "usage": Usage(**fields["usage"]), "warnings": warnings})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ConfigurationError(
                "not an evaluation report with its cases: to_json(cases=True) writes one"
            ) from None
