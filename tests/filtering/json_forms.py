"""JSON that is no filter, with what the message must name; for Python and SQL alike."""

import json
from typing import Any

_ONE = {"field": "f", "op": "eq", "value": 1}


def _nested(depth: int) -> Any:
    node: Any = _ONE
    for _ in range(depth):
        node = {"all_of": [node]}
    return node


REFUSED: list[tuple[str, Any]] = [
    ("JSON object", []),
    ("JSON object", None),
    ("JSON object", "f"),
    ("JSON object", {"all_of": [5]}),
    ("JSON object", {"all_of": [[_ONE]]}),
    ('"year"', {"year": {"gte": 2022}}),
    ('"year"', {"all_of": [{"year": 2022}]}),
    ('"gte"', {"field": "year", "gte": 2022}),
    ('"ne"', {"field": "f", "op": "eq", "value": 1, "ne": 2}),
    ('"all_of"', {"all_of": [], "any_of": []}),
    ('"all_of"', {"all_of": [], "field": "f", "op": "exists"}),
    ('"a\\"b\\n"', {'a"b\n': 1}),
    ("all_of holds a list", {"all_of": _ONE}),
    ("any_of holds a list", {"any_of": None}),
    ("none_of holds a list", {"none_of": "x"}),
    ('operator "eq": a field', {"op": "eq", "value": 1}),
    ('filter on "f", operator ?: an operator is one of', {"field": "f", "value": 1}),
    ('operator "like"', {"field": "f", "op": "like", "value": "x"}),
    ("operator ?", {"field": "f", "op": ["eq"], "value": "x"}),
    ("filter on ?", {"field": 5, "op": "eq", "value": "x"}),
    ("a field is a string, not blank", {"field": " \u3000\t", "op": "eq", "value": "x"}),
    ("is_null finds null", {"field": "f", "op": "eq"}),
    ("is_null finds null", {"field": "f", "op": "gt", "value": None}),
    ("one string, number or boolean", {"field": "f", "op": "eq", "value": [1]}),
    ("one string, number or boolean", {"field": "f", "op": "ne", "value": {"a": 1}}),
    ("takes a list", {"field": "f", "op": "in", "value": "abc"}),
    ("takes a list", {"field": "f", "op": "in"}),
    ("takes a list", {"field": "f", "op": "nin", "value": ["a", None]}),
    ("takes a list", {"field": "f", "op": "contains_any", "value": [["a"]]}),
    ("of one type", {"field": "f", "op": "in", "value": ["a", 1]}),
    ("of one type", {"field": "f", "op": "between", "value": [1, "b"]}),
    ("two bounds", {"field": "f", "op": "between", "value": [1]}),
    ("reversed", {"field": "f", "op": "between", "value": [2, 1]}),
    ("reversed", {"field": "f", "op": "between", "value": ["a", "B"]}),
    ("reversed", {"field": "f", "op": "between", "value": [True, False]}),
    ("one string", {"field": "f", "op": "prefix", "value": 1}),
    ("true, false or no value", {"field": "f", "op": "exists", "value": "yes"}),
    ("true, false or no value", {"field": "f", "op": "is_null", "value": []}),
    ("1000 digits", {"field": "f", "op": "eq", "value": 10**1000 + 1}),
    ("1000 digits", {"field": "f", "op": "in", "value": [1, -(10**1001)]}),
    ("1000 digits", {"field": "f", "op": "eq", "value": -(10**1001)}),
    ("32 deep", _nested(33)),
    ("1000 conditions", {"any_of": [_ONE] * 1001}),
    ("1000 conditions", {"any_of": [{"all_of": [_ONE] * 500}, {"none_of": [_ONE] * 501}]}),
    ("filter on " + json.dumps("é" * 100, ensure_ascii=False) + ",", {"field": "é" * 300, "op": "eq", "value": []}),
]

ACCEPTED: list[Any] = [
    {},
    {"all_of": []},
    {"any_of": [{}]},
    _nested(32),
    {"any_of": [_ONE] * 1000},
    {"field": "f", "op": "exists", "value": None},
    {"field": "f", "op": "in", "value": []},
    {"field": "f", "op": "eq", "value": -(10**1000)},
    {"field": "f", "op": "between", "value": ["B", "a"]},
]
