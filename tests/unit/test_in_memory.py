"""The oracles, by figures worked out by hand."""

from math import log, sqrt
from typing import Any

import pytest

from ragspine_pg import InMemoryLexicalIndex, InMemoryVectorIndex, make_embedding_model
from ragspine_pg.errors import ConfigurationError, QueryError

VECTORS = {"b": [3.0, 4.0], "a": [6.0, 8.0], "c": [-4.0, 3.0], "d": [0.0, 2.0]}


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        ("cosine", [("d", 1.0), ("a", 0.8), ("b", 0.8), ("c", 0.6)]),
        ("inner_product", [("a", 8.0), ("b", 4.0), ("c", 3.0), ("d", 2.0)]),
        (
            "l2",
            [("d", 1 / 2), ("b", 1 / (1 + sqrt(18))), ("c", 1 / (1 + sqrt(20))), ("a", 1 / (1 + sqrt(85)))],
        ),
    ],
)
def test_vectors_are_ranked_by_their_distance(distance: str, expected: list[tuple[str, float]]) -> None:
    found = InMemoryVectorIndex(VECTORS, distance=distance).search([0.0, 1.0])
    assert [name for name, _ in found] == [name for name, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-12)


def test_k_subset_and_least_score_bound_what_comes() -> None:
    index = InMemoryVectorIndex(VECTORS)
    assert [name for name, _ in index.search([0.0, 1.0], 2)] == ["d", "a"]
    assert [name for name, _ in index.search([0.0, 1.0], 2, among={"b", "c"})] == ["b", "c"]
    assert [name for name, _ in index.search([0.0, 1.0], min_score=0.7)] == ["d", "a", "b"]


def test_numbers_are_those_that_float32_holds() -> None:
    (found,) = InMemoryVectorIndex({"x": [0.1]}, distance="inner_product").search([1.0])
    assert found[1] != 0.1
    assert found[1] == pytest.approx(0.1, rel=1e-7)


@pytest.mark.parametrize(
    "vectors", [{"a": [1.0], "b": [1.0, 2.0]}, {"a": []}, {"a": [0.0, 0.0]}, {"a": [float("nan")]}, {"a": [1e39]}]
)
def test_what_cannot_be_compared_is_refused(vectors: dict[str, list[float]]) -> None:
    with pytest.raises(ConfigurationError):
        InMemoryVectorIndex(vectors)


def test_texts_are_embedded_once_and_searched_by_text() -> None:
    model = make_embedding_model("hashing")
    assert model is not None
    index = InMemoryVectorIndex.build(model, {"returns": "Returns are accepted.", "tents": "Tents in winter."})
    assert index.usage.items == 2
    assert index.search("winter tents", 1)[0][0] == "tents"
    with pytest.raises(ConfigurationError, match="by vectors"):
        InMemoryVectorIndex(VECTORS).search("text")
    with pytest.raises(QueryError, match="another length"):
        InMemoryVectorIndex(VECTORS).search([1.0])


BAGS = {"long": {"tent": 2, "rain": 6}, "short": {"tent": 1}, "other": {"rain": 3}}


def test_bm25_is_lucene_s() -> None:
    found = InMemoryLexicalIndex(BAGS, pivot=4.0).search({"tent": 1})
    idf = log(1 + (3 - 2 + 0.5) / 2.5)
    # 1.2 * (0.25 + 0.75 * length / 4): 2.1 for eight lexemes, 0.525 for one.
    expected = {"short": idf * 1 / 1.525, "long": idf * 2 / 4.1}
    assert dict(found) == pytest.approx(expected, rel=1e-7)
    assert [name for name, _ in found] == ["short", "long"]


def test_bm25_takes_its_parameters_and_the_query_s_frequencies() -> None:
    once = dict(InMemoryLexicalIndex(BAGS, k1=0.9, b=0.4).search({"tent": 1, "unknown": 1}))
    twice = dict(InMemoryLexicalIndex(BAGS, k1=0.9, b=0.4).search({"tent": 2}))
    assert twice == {name: 2 * score for name, score in once.items()}
    idf = log(1 + 1.5 / 2.5)
    assert once["short"] == pytest.approx(idf / (1 + 0.9 * (0.6 + 0.4 * 1 / 4)), rel=1e-7)


def test_a_subset_does_not_change_statistics() -> None:
    index = InMemoryLexicalIndex(BAGS)
    whole = dict(index.search({"rain": 1, "tent": 1}))
    assert dict(index.search({"rain": 1, "tent": 1}, among={"long"})) == {"long": whole["long"]}
    assert index.search({"rain": 1}, min_score=100) == []
    assert InMemoryLexicalIndex({}).search({"rain": 1}) == []


def test_ties_go_by_id() -> None:
    index = InMemoryLexicalIndex({name: {"x": 1} for name in ("b", "é", "a", "Z")})
    assert [name for name, _ in index.search({"x": 1})] == ["Z", "a", "b", "é"]


@pytest.mark.parametrize("k", [0, 1001, True, 1.0])
def test_k_out_of_range_is_refused(k: Any) -> None:
    with pytest.raises(QueryError):
        InMemoryVectorIndex(VECTORS).search([0.0, 1.0], k)
    with pytest.raises(QueryError):
        InMemoryLexicalIndex(BAGS).search({"x": 1}, k)


@pytest.mark.parametrize("query", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_query_that_has_no_direction_is_refused(query: list[float]) -> None:
    with pytest.raises(QueryError, match="finite and not zero"):
        InMemoryVectorIndex({"a": [1.0, 0.0]}).search(query)
