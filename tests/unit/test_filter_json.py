import json
from typing import Any

import pytest
from hypothesis import given, settings

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.errors import InvalidFilter
from tests.filtering.json_forms import ACCEPTED, REFUSED
from tests.filtering.strategies import filters


@pytest.mark.parametrize(("names", "form"), REFUSED, ids=range(len(REFUSED)))
def test_json_that_is_no_filter_is_refused_by_name(names: str, form: Any):
    for source in [json.dumps(form)] if isinstance(form, str) else [json.dumps(form), form]:
        with pytest.raises(InvalidFilter) as caught:
            MetadataFilter.from_json(source)
        assert names in str(caught.value)


@pytest.mark.parametrize("form", ACCEPTED)
def test_json_at_the_bounds_is_accepted(form: Any):
    MetadataFilter.from_json(form)
    MetadataFilter.from_json(json.dumps(form))


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ('the key "op" twice', '{"field": "f", "op": "eq", "op": "ne", "value": 1}'),
        ('the key "all_of" twice', '{"all_of": [], "all_of": []}'),
        ("NaN", '{"field": "f", "op": "eq", "value": NaN}'),
        ("-Infinity", '{"field": "f", "op": "eq", "value": -Infinity}'),
        ("valid JSON", "{"),
        ("valid JSON", ""),
        ("neither NUL", '{"field": "f", "op": "eq", "value": "\\u0000"}'),
        ("1000 digits", '{"field": "f", "op": "eq", "value": 1e999999999}'),
        ("1000 digits", '{"field": "f", "op": "eq", "value": ' + "9" * 10_000 + "}"),
        ("32 deep", '{"all_of":[' * 100_000),
        ("32 deep", '{"all_of":[' * 200 + "]}" * 200),
    ],
)
def test_json_text_that_is_no_filter_is_refused(names: str, text: str):
    with pytest.raises(InvalidFilter) as caught:
        MetadataFilter.from_json(text)
    assert names in str(caught.value)


@given(filters())
@settings(max_examples=200, deadline=None)
def test_json_form_gives_an_equal_filter_back(made: MetadataFilter):
    assert MetadataFilter.from_json(made.to_json()) == made
    assert MetadataFilter.from_json(made.as_object()) == made
    assert MetadataFilter.from_json(made.to_json()).to_json() == made.to_json()


def test_json_numbers_keep_all_digits():
    text = '{"field":"f","op":"in","value":[0.10000000000000000000000001,9007199254740993]}'
    assert MetadataFilter.from_json(text).to_json() == text
