"""SQL callers bring raw jsonb: the database judges it by the same rules, in the same words, as Python."""

import json
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.errors import InvalidFilter
from ragspine_pg.flow.translate import translate
from tests.filtering.json_forms import ACCEPTED, REFUSED
from tests.filtering.sql_evaluator import SqlEvaluator

_COMPILE = "SELECT condition FROM ragspine.compile_filter_v1(%s::jsonb, NULL, NULL, NULL)"


@pytest.mark.parametrize(("names", "form"), REFUSED, ids=range(len(REFUSED)))
def test_jsonb_that_is_no_filter_is_refused_in_the_words_of_python(
    owner_transaction: psycopg.Connection[Any], names: str, form: Any
):
    text = json.dumps(form)
    with pytest.raises(InvalidFilter) as expected:
        MetadataFilter.from_json(text)
    with pytest.raises(psycopg.Error) as caught:
        owner_transaction.execute(_COMPILE, [text])
    assert caught.value.sqlstate == "RS001"
    assert names in str(caught.value)
    error = translate(caught.value)
    assert isinstance(error, InvalidFilter)
    assert str(error) == str(expected.value)


@pytest.mark.parametrize("form", ACCEPTED, ids=range(len(ACCEPTED)))
def test_jsonb_at_the_bounds_is_accepted(owner_transaction: psycopg.Connection[Any], form: Any):
    compiled = owner_transaction.execute(_COMPILE, [json.dumps(form)]).fetchone()
    assert compiled is not None
    expression = compiled[0].replace("$1", "%(f)s::jsonb").replace("$2", "'{}'::integer[]")
    owner_transaction.execute(f"SELECT FROM ragspine.document AS d WHERE ({expression})", {"f": json.dumps(form)})


def test_sql_null_is_no_filter(owner_transaction: psycopg.Connection[Any]):
    with pytest.raises(psycopg.Error, match="JSON object"):
        owner_transaction.execute(_COMPILE, [None])


@pytest.mark.parametrize(
    ("op", "value"),
    [
        ("eq", "yesterday"),
        ("gt", 5),
        ("in", ["2024-05-01", "x"]),
        ("contains", True),
        ("prefix", "2024"),
        ("between", ["2024-05-01T00:00:00Z", "2024-05-01T01:00:00+05:00"]),
    ],
)
def test_timestamp_field_takes_only_instants_in_the_words_of_python(
    owner_transaction: psycopg.Connection[Any], op: str, value: Any
):
    evaluator = SqlEvaluator(owner_transaction, {"when": "timestamp"})
    made = MetadataFilter.where("when", op, value)
    with pytest.raises(InvalidFilter) as expected:
        made.bind({"when": "timestamp"})
    with pytest.raises(psycopg.Error) as caught:
        evaluator.compile(made.to_json())
    assert str(translate(caught.value)) == str(expected.value)


def test_message_never_quotes_a_value(owner_transaction: psycopg.Connection[Any]):
    for op, value in [("like", "hunter2"), ("in", "hunter2"), ("eq", ["hunter2"]), ("between", ["hunter2", "a"])]:
        with pytest.raises(psycopg.Error) as caught, owner_transaction.transaction():
            owner_transaction.execute(_COMPILE, [json.dumps({"field": "f", "op": op, "value": value})])
        assert "hunter2" not in str(caught.value.diag.message_primary)


@pytest.mark.parametrize("levels", [33, 1000, 5000])
@pytest.mark.parametrize("join", ["all_of", "any_of", "none_of"])
def test_depth_is_bounded_however_deep_the_filter(owner_transaction: psycopg.Connection[Any], join: str, levels: int):
    text = f'{{"{join}": [' * levels + "{}" + "]}" * levels
    with pytest.raises(InvalidFilter, match="at most 32 deep") as expected:
        MetadataFilter.from_json(text)
    with pytest.raises(psycopg.Error) as caught:
        owner_transaction.execute(_COMPILE, [text])
    assert caught.value.sqlstate == "RS001"
    assert str(translate(caught.value)) == str(expected.value)


def test_a_value_however_deep_is_no_scalar(owner_transaction: psycopg.Connection[Any]):
    text = '{"field": "f", "op": "eq", "value": ' + "[" * 5000 + "]" * 5000 + "}"
    with pytest.raises(psycopg.Error, match="it takes one string, number or boolean") as caught:
        owner_transaction.execute(_COMPILE, [text])
    assert caught.value.sqlstate == "RS001"
