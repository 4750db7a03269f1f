"""Filters with the rows they must match, one a rule, for every evaluator; most were reported elsewhere as bugs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ragspine_pg.contract.filter import FilterCondition, MetadataFilter

where, all_of, any_of, none_of = (
    MetadataFilter.where,
    MetadataFilter.all_of,
    MetadataFilter.any_of,
    MetadataFilter.none_of,
)


@dataclass(frozen=True)
class Case:
    """``matches`` are positions in ``rows``."""

    rule: str
    rows: Sequence[Mapping[str, Any]]
    metadata_filter: MetadataFilter
    matches: list[int]


_PRICES: list[dict[str, Any]] = [{"price": 100}, {"price": "N/A"}, {"price": {}}, {"price": None}, {}]
_BOB: list[dict[str, Any]] = [
    {"x": 999, "author": "Bob"},
    {"x": 5, "author": "Bob"},
    {"x": 5, "author": "John"},
    {"x": 5},
]
_NOT_JOHN = FilterCondition("author", "nin", ["John", "Jane"])
_TAGS: list[dict[str, Any]] = [
    {"tags": ["a", "b"]},
    {"tags": []},
    {"tags": ["c"]},
    {"tags": ["c", 1]},
    {"tags": ["a", None]},
    {"tags": "a"},
    {"tags": [["a"]]},
    {"tags": {"a": 1}},
    {"tags": None},
    {},
]
_HOSTILE = [
    *(
        "author' = 'alice' OR '1'='1' --",
        '"',
        "a.b",
        "$",
        "$1",
        "-",
        "%s",
        "%(x)s",
        ":name",
        "?",
        "{}",
        "\\",
        "#>>'{}'",
    ),
]
_ONES: list[dict[str, Any]] = [{"v": 1}, {"v": 1.0}, {"v": "1"}, {"v": True}, {"v": Decimal("1.00")}, {"v": 0}]
_TIMES: list[dict[str, Any]] = [
    {"when": "2024-05-01T00:00:00Z"},
    {"when": "2024-05-01T02:00:00+02:00"},
    {"when": "2024-05-01"},
    {"when": "2024-05-01T00:00:00.0000009z"},
    {"when": "2024-05-01T00:00:00.000001Z"},
    {"when": "2024-05-01T00:00:00"},
    {"when": "yesterday"},
    {"when": 1714521600},
    {"when": ["2024-04-30", "2024-05-01T03:00:00+03:00"]},
    {"when": ["2024-04-30", "yesterday"]},
]

_LETTERS: list[dict[str, Any]] = [{"v": "Z"}, {"v": "a"}, {"v": "é"}, {"v": "\uffff"}, {"v": "\U00010000"}]
_MIXED: list[dict[str, Any]] = [{"v": False}, {"v": True}, {"v": 1}, {"v": ""}, {"v": "a%b"}, {"v": "axb"}, {"v": 2}]

# In all cases these fields are declared, and no others.
DECLARED = {"price": "number", "when": "timestamp", "%s": "string"}

CASES: list[Case] = [
    # 7
    Case("ordering passes by other types", _PRICES, where("price", "gt", 50), [0]),
    Case("ne passes by other types, null and nothing", _PRICES, where("price", "ne", 50), [0]),
    Case("the negation of an unknown is unknown", _PRICES, none_of(where("price", "lte", 50)), [0]),
    # 8
    Case("nin does not escape its AND", _BOB, all_of(where("x", "eq", 5), _NOT_JOHN), [1]),
    Case("nin under none_of", _BOB, none_of(_NOT_JOHN), [2]),
    Case("an AND under none_of", _BOB, none_of(all_of(where("x", "eq", 5), _NOT_JOHN)), [0, 2]),
    Case("nin inside any_of", _BOB, any_of(where("x", "eq", 0), _NOT_JOHN), [0, 1]),
    # 9
    *(
        Case(
            f"key {key!r} is only a key", [{key: "O'Brien"}, {key: "x"}, {"x": 1}, {}], where(key, "eq", "O'Brien"), [0]
        )
        for key in _HOSTILE
    ),
    Case("a dot is part of a key", [{"a": {"b": 1}}, {"a.b": 1}], where("a.b", "eq", 1), [1]),
    # 10
    Case("no condition matches everything", _PRICES, MetadataFilter(), [0, 1, 2, 3, 4]),
    Case("all_of nothing matches everything", _PRICES, all_of(), [0, 1, 2, 3, 4]),
    Case("any_of nothing matches nothing", _PRICES, any_of(), []),
    Case("none_of nothing matches everything", _PRICES, none_of(), [0, 1, 2, 3, 4]),
    Case("in nothing matches nothing", _PRICES, where("price", "in", []), []),
    Case("nin nothing matches what has the field", _PRICES, where("price", "nin", []), [0, 1, 2]),
    Case("in nothing is false of what has the field", _PRICES, none_of(where("price", "in", [])), [0, 1, 2]),
    # 25
    Case("0.1 is one tenth", [{"v": 0.1}, {"v": Decimal("0.1000000000000000055")}], where("v", "eq", 0.1), [0]),
    Case("2^53 + 1 is itself", [{"v": 2**53}, {"v": 2**53 + 1}], where("v", "eq", 2**53 + 1), [1]),
    Case("2^53 + 1 is more than 2^53", [{"v": 2**53}, {"v": 2**53 + 1}], where("v", "gt", 2**53), [1]),
    Case("1 is 1.0, not '1', not true", _ONES, where("v", "eq", 1), [0, 1, 4]),
    Case("'1' is a string", _ONES, where("v", "eq", "1"), [2]),
    Case("true is a boolean", _ONES, where("v", "eq", True), [3]),
    Case("ne compares within a type", _ONES, where("v", "ne", 1.0), [5]),
    Case("1,000 digits are compared exactly", [{"price": 10**999 + 1}], where("price", "eq", 10**999), []),
    # lists
    Case("eq on a list: an element", _TAGS, where("tags", "eq", "a"), [0, 4, 5]),
    Case("ne on a list: no element, none of another type", _TAGS, where("tags", "ne", "a"), [1, 2]),
    Case("in on a list: an element", _TAGS, where("tags", "in", ["a", "c"]), [0, 2, 3, 4, 5]),
    Case("nin on a list: no element", _TAGS, where("tags", "nin", ["a", "x"]), [1, 2]),
    Case("contains is for lists", _TAGS, where("tags", "contains", "a"), [0, 4]),
    Case("contains_any is for lists", _TAGS, where("tags", "contains_any", ["a", "c"]), [0, 2, 3, 4]),
    Case("contains_all", _TAGS, where("tags", "contains_all", ["b", "a"]), [0]),
    Case("contains_all of nothing: every list", _TAGS, where("tags", "contains_all", []), [0, 1, 2, 3, 4, 6]),
    Case("contains_any of nothing: none", _TAGS, where("tags", "contains_any", []), []),
    Case("ordering never looks into a list", _TAGS, where("tags", "gte", "a"), [5]),
    Case("prefix never looks into a list", _TAGS, where("tags", "prefix", "a"), [5]),
    # existence
    Case("exists: there and not null", _TAGS, where("tags", "exists"), [0, 1, 2, 3, 4, 5, 6, 7]),
    Case("exists False: its contrary", _TAGS, where("tags", "exists", False), [8, 9]),
    Case("is_null: there and null", _TAGS, where("tags", "is_null"), [8]),
    Case("is_null False: its contrary", _TAGS, where("tags", "is_null", False), [0, 1, 2, 3, 4, 5, 6, 7, 9]),
    # order
    Case("strings compare by code point", _LETTERS, where("v", "gt", "a"), [2, 3, 4]),
    Case("false is before true", _MIXED, where("v", "gte", True), [1]),
    Case("between includes its bounds", [{"v": n} for n in range(5)], where("v", "between", [1, 3]), [1, 2, 3]),
    Case("between by values of another type", _MIXED, where("v", "between", ["0", "3"]), []),
    Case("% and _ mean nothing in a prefix", _MIXED, where("v", "prefix", "a%"), [4]),
    Case("an empty prefix: every string", _MIXED, where("v", "prefix", ""), [3, 4, 5]),
    Case(
        "keys that are cut alike are still told apart",
        [{"%s": "x" * 300}, {"%s": "x" * 300 + "y"}, {"%s": "x" * 255 + "€"}],
        where("%s", "gt", "x" * 300),
        [1, 2],
    ),
    # timestamps
    Case("instants are equal whatever their offset", _TIMES, where("when", "eq", "2024-05-01"), [0, 1, 2, 3, 8]),
    Case("instants differ, invalid ones are unknown", _TIMES, where("when", "ne", "2024-05-01"), [4]),
    Case("instants have an order", _TIMES, where("when", "gt", "2024-04-30T23:00:00-01:00"), [4]),
    Case(
        "bounds are read as instants",
        _TIMES,
        where("when", "between", ["2024-05-01T05:00:00+05:00", "2024-05-01"]),
        [0, 1, 2, 3],
    ),
    Case("undeclared times are strings", [{"t": "2024-05-01T00:00:00Z"}], where("t", "eq", "2024-05-01"), []),
]
