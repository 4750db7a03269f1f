"""The tests' own model reads every way in which Python writes a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_pg import EmbeddingTask
from tests.fixtures.models import WrittenModel


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9), min_size=1, max_size=4))
def test_a_vector_is_read_as_it_was_written(numbers: list[float]) -> None:
    (vector,) = WrittenModel(4).embed([f"text {numbers} more"], EmbeddingTask.RETRIEVAL_DOCUMENT).vectors
    assert list(vector) == [*numbers, *[0.0] * (4 - len(numbers))]


@pytest.mark.parametrize(
    ("text", "vector"),
    [("[7e-05, 1E+2]", [7e-05, 100.0]), ("[.5,-1.]", [0.5, -1.0]), ("none", [1.0, 0.0]), ("[e, -]", [1.0, 0.0])],
)
def test_a_number_is_read_in_each_form(text: str, vector: list[float]) -> None:
    assert list(WrittenModel().embed([text], EmbeddingTask.RETRIEVAL_QUERY).vectors[0]) == vector
