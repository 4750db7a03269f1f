"""What a filter refuses, and what it makes of what it is given."""

import itertools
import json
import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from decimal import Decimal
from typing import Any

import pytest

from ragspine_pg.contract.condition import OPERATORS
from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
from ragspine_pg.errors import InvalidFilter

SECRET = "hunter2"

REFUSED: list[tuple[Any, Any, Any]] = [
    ("", "eq", SECRET),
    (" \t\u3000", "eq", SECRET),
    ("a\x00b", "eq", SECRET),
    ("a\ud800", "eq", SECRET),
    (7, "eq", SECRET),
    (None, "eq", SECRET),
    ("f", "like", SECRET),
    ("f", "EQ", SECRET),
    ("f", "", SECRET),
    ("f", None, SECRET),
    ("f", ["eq"], SECRET),
    ("f", "eq", None),
    ("f", "eq", [SECRET]),
    ("f", "eq", {"gte": SECRET}),
    ("f", "eq", f"{SECRET}\x00"),
    ("f", "eq", f"{SECRET}\udfff"),
    ("f", "eq", float("nan")),
    ("f", "gt", float("inf")),
    ("f", "gt", Decimal("sNaN")),
    ("f", "gt", Decimal("-Infinity")),
    ("f", "eq", object()),
    ("f", "eq", SECRET.encode()),
    ("f", "in", SECRET),
    ("f", "nin", SECRET.encode()),
    ("f", "in", {SECRET: 1}),
    ("f", "in", None),
    ("f", "in", 5),
    ("f", "in", [SECRET, 1]),
    ("f", "in", [1, True]),
    ("f", "nin", [SECRET, None]),
    ("f", "nin", [[SECRET]]),
    ("f", "contains", [SECRET]),
    ("f", "contains_any", SECRET),
    ("f", "contains_all", [1, SECRET]),
    ("f", "between", [2, 1]),
    ("f", "between", ["b", "a"]),
    ("f", "between", [True, False]),
    ("f", "between", [1, "2"]),
    ("f", "between", [1]),
    ("f", "between", [1, 2, 3]),
    ("f", "between", "ab"),
    ("f", "prefix", 1),
    ("f", "prefix", [SECRET]),
    ("f", "exists", SECRET),
    ("f", "exists", 1),
    ("f", "is_null", []),
    ("f", "eq", 10**1000 + 1),
    ("f", "eq", 10**5000),
    ("f", "in", [Decimal("1E+1001")]),
    ("f", "in", [Decimal("1E-1001")]),
    ("f", "eq", Decimal("1E+999999")),
    ("f", "eq", Decimal("1E-999999")),
]


@pytest.mark.parametrize(("field", "op", "value"), REFUSED, ids=range(len(REFUSED)))
def test_malformed_condition_is_refused_without_its_value(field: Any, op: Any, value: Any):
    with pytest.raises(InvalidFilter) as caught:
        FilterCondition(field, op, value)
    message = str(caught.value)
    assert SECRET not in message
    message.encode()  # a lone surrogate would not go into a log
    if isinstance(field, str) and field == "f":
        assert '"f"' in message
        assert caught.value.ids["field"] == "f"
    if isinstance(op, str):
        assert json.dumps(op) in message
        assert caught.value.ids["operator"] == op


def test_eq_null_says_what_finds_null():
    with pytest.raises(InvalidFilter, match="is_null finds null"):
        MetadataFilter.where("f", "eq", None)


def test_unknown_operator_is_told_all_that_there_are():
    with pytest.raises(InvalidFilter) as caught:
        FilterCondition("f", "like", "x")
    assert ", ".join(OPERATORS) in str(caught.value)


def test_bounds_that_are_reversed_only_as_strings_are_left_to_the_declared_type():
    later_as_text = ["2024-05-01T05:00:00+05:00", "2024-04-30T23:00:00-03:00"]
    condition = MetadataFilter.where("when", "between", later_as_text)
    rows = [{"when": "2024-05-01T01:00:00Z"}]
    assert condition.apply(rows, fields={"when": "timestamp"}) == rows
    with pytest.raises(InvalidFilter, match="reversed"):
        condition.apply(rows)


def test_bounds_that_are_reversed_as_instants_are_refused_for_a_timestamp():
    condition = MetadataFilter.where("when", "between", ["2024-05-01T00:00:00Z", "2024-05-01T01:00:00+05:00"])
    condition.bind({})
    with pytest.raises(InvalidFilter, match="reversed"):
        condition.bind({"when": "timestamp"})


@pytest.mark.parametrize(
    "condition",
    [
        FilterCondition("when", "eq", "yesterday"),
        FilterCondition("when", "gt", 5),
        FilterCondition("when", "in", ["2024-05-01", "2024-05-01T00:00:00"]),
        FilterCondition("when", "prefix", "2024"),
        FilterCondition("when", "contains", True),
    ],
)
def test_timestamp_field_takes_only_instants(condition: FilterCondition):
    with pytest.raises(InvalidFilter, match="timestamp") as caught:
        MetadataFilter([condition]).apply([], fields={"when": "timestamp"})
    assert caught.value.ids == {"field": "when", "operator": condition.op}


def test_generator_is_read_once_and_list_is_copied():
    def values() -> Iterator[str]:
        yield from ("a", "b")

    assert FilterCondition("f", "in", values()).value == ("a", "b")
    given = ["a"]
    condition = FilterCondition("f", "in", given)
    given.append("b")
    assert condition.value == ("a",)
    assert FilterCondition("f", "in", {"b", "c", "a"}).value == ("a", "b", "c")


def test_numbers_keep_their_exact_value():
    assert FilterCondition("f", "eq", 0.1).value == Decimal("0.1")
    assert FilterCondition("f", "eq", 2**53 + 1).value == 2**53 + 1
    assert MetadataFilter.where("f", "in", [0.1, 2**53 + 1]).to_json() == (
        '{"field":"f","op":"in","value":[0.1,9007199254740993]}'
    )


def test_numbers_of_a_thousand_digits_are_taken():
    for number in (10**1000, 10**1000 - 1, Decimal("1E-1000"), Decimal("-1E+1000"), Decimal("0E+5000")):
        assert FilterCondition("f", "eq", number).value == number


def test_filters_are_frozen_hashable_and_picklable():
    made = MetadataFilter.any_of(MetadataFilter.where("f", "eq", 1), FilterCondition("g", "exists"))
    with pytest.raises(FrozenInstanceError):
        made.parts = ()  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(made)) == made
    assert len({made, MetadataFilter.from_json(made.to_json())}) == 1


def test_conditions_on_1_and_true_are_two():
    assert FilterCondition("f", "eq", 1) != FilterCondition("f", "eq", True)
    assert FilterCondition("f", "eq", 1) != FilterCondition("f", "eq", "1")


def test_list_of_conditions_is_anded():
    made = MetadataFilter([FilterCondition("a", "eq", 1), FilterCondition("b", "eq", 2)])
    assert made.apply([{"a": 1}, {"a": 1, "b": 2}]) == [{"a": 1, "b": 2}]
    assert [condition.field for condition in made.conditions] == ["a", "b"]


@pytest.mark.parametrize("parts", [FilterCondition("a", "eq", 1), {"a": 1}, "a", 5, None, [{"a": 1}], ["a"]])
def test_parts_are_a_list_of_conditions_and_filters(parts: Any):
    with pytest.raises(InvalidFilter):
        MetadataFilter(parts)


def test_join_is_one_of_three():
    with pytest.raises(InvalidFilter, match="all_of, any_of or none_of"):
        MetadataFilter([], join="not")  # type: ignore[arg-type]


def test_depth_is_bounded_at_32():
    made = MetadataFilter.none_of(FilterCondition("f", "eq", 1))
    for _ in range(31):
        made = MetadataFilter.none_of(made)
    with pytest.raises(InvalidFilter, match="32 deep"):
        MetadataFilter.none_of(made)


def test_conditions_are_bounded_at_1000():
    one = FilterCondition("f", "eq", 1)
    thousand = MetadataFilter(itertools.repeat(one, 1000))
    with pytest.raises(InvalidFilter, match="1000 conditions"):
        MetadataFilter.any_of(thousand, one)
    with pytest.raises(InvalidFilter, match="1000 conditions"):
        MetadataFilter.any_of(*[MetadataFilter.any_of()] * 1001)


def test_apply_keeps_the_objects_and_their_order():
    class Item:
        def __init__(self, metadata: dict[str, Any] | None) -> None:
            self.metadata = metadata

    items = [Item({"n": 3}), Item(None), Item({"n": 1}), Item({"n": 2})]
    kept = MetadataFilter.where("n", "gte", 2).apply(iter(items))
    assert kept == [items[0], items[3]]
    pairs = [("a", {"n": 1}), ("b", {"n": 2})]
    assert MetadataFilter.where("n", "eq", 2).apply(pairs, metadata=lambda pair: pair[1]) == [pairs[1]]


def test_apply_refuses_items_without_metadata():
    with pytest.raises(TypeError, match="metadata="):
        MetadataFilter().apply([object()])


def test_metadata_that_was_never_stored_is_read_like_stored_metadata():
    rows: list[dict[str, Any]] = [{"n": 0.1}, {"n": float("nan")}, {"n": (0.1, 2)}, {"n": object()}]
    assert MetadataFilter.where("n", "eq", Decimal("0.1")).apply(rows) == [rows[0], rows[2]]
    assert MetadataFilter.where("n", "ne", 7).apply(rows) == [rows[0], rows[2]]
