"""What a reranker says of a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judgement:
    """How relevant a text is to the query: its place in the judged list, from 0, and a score, larger is better.

    Scores are compared with each other alone; no scale is assumed.
    """

    index: int
    score: float
