"""BM25 in plain Python and float64, from lexemes alone: what the database's scores are held against."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import Generic, TypeVar

Id = TypeVar("Id", bound=Hashable)

Bag = Mapping[str, int]
"""Lexemes and how often each occurs."""


@dataclass(frozen=True)
class Ranked(Generic[Id]):
    """One result of a ranking under test or of a peer, best first."""

    id: Id
    score: float


def score_all(
    query: Bag, chunks: Mapping[Id, Bag], *, k1: float = 1.2, b: float = 0.75, pivot: float | None = None
) -> dict[Id, float]:
    """The score of every chunk that holds a lexeme of ``query``; statistics are those of ``chunks``, no more, no less.

    ``pivot`` None: the mean length. idf = ln(1 + (N - df + 0.5) / (df + 0.5)), and a lexeme said twice counts twice.
    """
    lengths = {id: sum(bag.values()) for id, bag in chunks.items()}
    if pivot is None:
        pivot = fsum(lengths.values()) / len(lengths) if lengths else 1.0
    scores: dict[Id, float] = {}
    df = {lexeme: sum(1 for bag in chunks.values() if lexeme in bag) for lexeme in query}
    for id, bag in chunks.items():
        parts = [
            times * log(1 + (len(chunks) - df[lexeme] + 0.5) / (df[lexeme] + 0.5))
            * bag[lexeme] / (bag[lexeme] + k1 * (1 - b + b * lengths[id] / pivot))
            for lexeme, times in query.items()
            if lexeme in bag
        ]  # fmt: skip
        if parts:
            scores[id] = fsum(parts)
    return scores


def assert_same_ranking(found: Sequence[Ranked[Id]], scores: Mapping[Id, float], k: int, tolerance: float) -> None:
    """``found`` is the k best of ``scores``, each with its score, to a relative ``tolerance``.

    Results whose scores differ by no more than that may stand in either order.
    """
    best = sorted(scores.values(), reverse=True)[:k]
    assert len(found) == len(best), f"{len(found)} results instead of {len(best)}"
    assert len({ranked.id for ranked in found}) == len(found), "a result comes twice"
    for rank, (ranked, score) in enumerate(zip(found, best, strict=True), start=1):
        assert ranked.id in scores, f"rank {rank} holds no word of the query"
        own = scores[ranked.id]
        assert abs(ranked.score - own) <= tolerance * own, f"rank {rank} has score {ranked.score}, not {own}"
        assert abs(score - own) <= tolerance * score, f"rank {rank} belongs to a result of score {score}, not {own}"
