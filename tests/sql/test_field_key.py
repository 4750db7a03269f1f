"""Keys of declared fields: their code-point order is the order of the values."""

import itertools
import json
from decimal import Decimal
from typing import Any

import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.instant import read_instant
from ragspine_pg.contract.metadata import dump_json
from tests.filtering.sql_evaluator import SqlEvaluator
from tests.filtering.strategies import NO_TIMES, NUMBERS, STRINGS, TIMES

_QUIET = settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
_KEYS = """
SELECT k.key FROM jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS e (value, position),
       ragspine.field_key_v1(e.value, %s) AS k (key) ORDER BY e.position
"""

_numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers(),
    st.integers(-(10**60), 10**60),
    st.decimals(allow_nan=False, allow_infinity=False, places=5),
    st.builds(lambda digits, exponent: Decimal(digits).scaleb(exponent), st.integers(-99, 99), st.integers(-998, 998)),
)


def keys_of(connection: psycopg.Connection[Any], values: list[Any], kind: str) -> list[Any]:
    return [key for (key,) in connection.execute(_KEYS, [dump_json(values), kind])]


def test_number_keys_sort_as_the_numbers_do(owner_transaction: psycopg.Connection[Any]):
    @_QUIET
    @given(st.lists(_numbers, min_size=2, max_size=40))
    def sorts(numbers: list[Any]) -> None:
        keys = keys_of(owner_transaction, numbers, "number")
        ordered = sorted(zip(numbers, keys, strict=True))
        for (number, key), (other, other_key) in itertools.pairwise(ordered):
            assert (key < other_key) == (number < other), (number, other)
            assert (key == other_key) == (number == other), (number, other)
            assert len(key) <= 1024

    sorts()


def test_number_keys_past_their_cut_keep_the_order_not_strictly(owner_transaction: psycopg.Connection[Any]):
    nines = 10**1100 - 1
    numbers = [-nines, -nines + 1, -(10**1099), 10**1099, 10**1099 + 1, nines - 1, nines, 10**1100]
    keys = keys_of(owner_transaction, numbers, "number")
    assert keys == sorted(keys)
    assert len(set(keys)) == 6
    assert max(map(len, keys)) <= 1024


def test_equal_numbers_have_one_key(owner_transaction: psycopg.Connection[Any]):
    ones: list[Any] = [1, Decimal("1.0"), Decimal("1.000"), Decimal("0.1E1")]
    zeros: list[Any] = [0, Decimal("-0.0"), Decimal("0.000"), Decimal("0E+3")]
    for same in (ones, zeros):
        assert len(set(keys_of(owner_transaction, same, "number"))) == 1


def test_string_keys_keep_code_point_order_where_they_are_cut(owner_transaction: psycopg.Connection[Any]):
    # A cut after 1,024 bytes would sort the second before the first: its last character would not fit.
    tricky = ["x" * 1022 + "zz", "x" * 1022 + "€", "\U0001f4c5" * 300, "é" * 255 + "€z", "é" * 256, *STRINGS]
    keys = keys_of(owner_transaction, tricky, "string")
    ordered = [key for _, key in sorted(zip(tricky, keys, strict=True))]
    assert ordered == sorted(ordered)
    assert all(len(key.encode()) <= 1024 for key in keys)


def test_timestamp_keys_sort_as_the_instants_do(owner_transaction: psycopg.Connection[Any]):
    values = [*TIMES, *NO_TIMES, "1582-10-10", "0001-01-01", "9999-12-31"]
    keys = keys_of(owner_transaction, values, "timestamp")
    instants = [read_instant(value) for value in values]
    assert [key is None for key in keys] == [instant is None for instant in instants]
    known = sorted((instant, key) for instant, key in zip(instants, keys, strict=True) if instant is not None)
    for (instant, key), (other, other_key) in itertools.pairwise(known):
        assert (key < other_key) == (instant < other)
        assert (key == other_key) == (instant == other)


def test_values_of_another_type_have_no_key(owner_transaction: psycopg.Connection[Any]):
    values: list[Any] = ["a", 1, True, None, {}, [], ["a"]]
    assert keys_of(owner_transaction, values, "string") == ["a", *[None] * 6]
    assert keys_of(owner_transaction, values, "number") == [None, "p5000011", *[None] * 5]
    assert keys_of(owner_transaction, values, "boolean") == [None, None, "t", *[None] * 4]
    assert keys_of(owner_transaction, values, "timestamp") == [None] * 7


def test_document_has_each_key_of_its_declared_fields_once(owner_transaction: psycopg.Connection[Any]):
    evaluator = SqlEvaluator(owner_transaction, {"tags": "string", "n": "number", "gone": "string"})
    metadata = {"tags": ["b", "a", "b", 1, None, ["c"]], "n": [1, 1.0, "1"], "other": "x"}
    rows = owner_transaction.execute(
        "SELECT f.name, k.key FROM ragspine.document_field_keys_v1(%s::jsonb, %s, %s) AS k"
        " JOIN ragspine.library_field AS f USING (field_no) ORDER BY 1, 2",
        [json.dumps(metadata), evaluator.tenant, evaluator.library],
    ).fetchall()
    assert rows == [("n", "p5000011"), ("tags", "a"), ("tags", "b")]
