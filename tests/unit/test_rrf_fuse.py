"""Reciprocal rank fusion, against a definition written apart."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_pg.errors import QueryError
from ragspine_pg.lexical import rrf_fuse

IDS = st.tuples(st.sampled_from(["a", "b"]), st.sampled_from("uvwxyz"))
RANKINGS = st.lists(st.lists(IDS, max_size=8), max_size=4)


def defined(rankings: list[list[tuple[str, str]]], weights: list[int], k: int) -> dict[tuple[str, str], Fraction]:
    scores: dict[tuple[str, str], Fraction] = {}
    for weight, ranking in zip(weights, rankings, strict=True):
        for item in set(ranking):
            scores[item] = scores.get(item, Fraction(0)) + Fraction(weight, k + ranking.index(item) + 1)
    return scores


@given(rankings=RANKINGS, k=st.integers(1, 100))
def test_scores_are_those_of_the_definition(rankings: list[list[tuple[str, str]]], k: int) -> None:
    fused = rrf_fuse(rankings, k=k)
    exact = defined(rankings, [1] * len(rankings), k)
    assert {item for item, _ in fused} == set(exact)
    assert all(score == pytest.approx(float(exact[item]), rel=1e-15) for item, score in fused)
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)


@given(ranking=st.lists(IDS, unique=True, max_size=12))
def test_one_ranking_keeps_its_order(ranking: list[tuple[str, str]]) -> None:
    assert [item for item, _ in rrf_fuse([ranking])] == ranking


def test_ties_go_by_best_rank_then_id() -> None:
    assert [item for item, _ in rrf_fuse([["b", "x"], ["a", "y"]])] == ["a", "b", "x", "y"]
    assert [item for item, _ in rrf_fuse([[("b", "1")], [("a", "2")], [("a", "1")]])] == [
        ("a", "1"),
        ("a", "2"),
        ("b", "1"),
    ]
    assert [item for item, _ in rrf_fuse([["Z"], ["a"], ["é"], ["\U0001f600"]])] == ["Z", "a", "é", "\U0001f600"]


@given(rankings=st.lists(st.lists(IDS, max_size=8), min_size=2, max_size=2), weight=st.integers(1, 9))
def test_weights_scale(rankings: list[list[tuple[str, str]]], weight: int) -> None:
    exact = defined(rankings, [weight, 1], 60)
    for item, score in rrf_fuse(rankings, weights=[weight, 1]):
        assert score == pytest.approx(float(exact[item]), rel=1e-15)


@pytest.mark.parametrize(
    "weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0], [1.0, 1.0, 1.0]]
)
def test_impossible_weights_are_errors(weights: list[float]) -> None:
    with pytest.raises(QueryError):
        rrf_fuse([["a"], ["b"]], weights=weights)


def test_bounds() -> None:
    with pytest.raises(QueryError):
        rrf_fuse([["a"]], k=0)
    with pytest.raises(QueryError):
        rrf_fuse([[str(n) for n in range(1001)]])
    assert rrf_fuse([]) == []
