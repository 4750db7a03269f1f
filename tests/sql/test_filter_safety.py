"""Compiled filters hold no byte of a caller's, and never fail on what is stored, which would tell of it."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings

from ragspine_pg.contract.condition import OPERATORS
from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
from tests.filtering.sql_evaluator import SqlEvaluator
from tests.filtering.strategies import DECLARED, filters

# What a compiled text may consist of besides numbers and paths into the filter.
_WORD = re.compile(
    "AND|AS|BETWEEN|CASE|COLLATE|ELSE|END|EXISTS|FROM|IN|IS|NOT|NULL|OR|SELECT|THEN|UNION|ALL|ANY|WHEN|WHERE"
    "|d|e|f|ragspine|document_field|tenant_no|field_no|acl_class_no|document_no|key|metadata|value|true|false"
    "|jsonb_typeof|jsonb_array_elements|jsonb_path_exists|coalesce|starts_with|array_position|rpad|chr"
    "|list_values_v1|read_instant_v1|read_instants_v1|field_key_v1|field_keys_v1|timestamptz|type"
    "|string|number|boolean|timestamp|array|null|missing|C|n|q|bigint"
    "|CROSS|JOIN|LATERAL|OFFSET|unnest|k|class"
)
_NUMBERS = re.compile(r"'\{[\d,]*\}'")
_PATH = re.compile(r"'\{(?:(?:all_of|any_of|none_of),\d+,)*(?:field|value(?:,[01])?)\}'")


# Straight into the table, past everything that would refuse it at ingest.
_STORE = """
WITH s AS (
  INSERT INTO ragspine.document (tenant_no, library_no, acl_class_no, document_id, source_uri, title, metadata,
                                 text_length, content_sha256)
  VALUES (%s, %s, %s, %s, '', '', jsonb_build_object(%s::text, (%STORED%)::jsonb), 0, repeat('0', 64))
  RETURNING *)
INSERT INTO ragspine.document_field (tenant_no, field_no, key, document_no, acl_class_no)
SELECT s.tenant_no, k.field_no, k.key, s.document_no, s.acl_class_no
  FROM s, ragspine.document_field_keys_v1(s.metadata, s.tenant_no, s.library_no) AS k
"""


WORST = [
    "repeat('9', 131072)",
    "'-' || repeat('9', 131072)",
    "'0.' || repeat('0', 16382) || '1'",
    "to_json(repeat('x', 1000000))",
    "to_json(repeat('2024-05-01T00:00:00Z', 50000))",
    "to_json(text '99999-99-99T99:99:99+99:99')",
    "to_json(text '2024-02-30T00:00:00Z')",
    "to_json(text '0000-00-00')",
    "'[' || repeat('[', 500) || repeat(']', 500) || ']'",
    "'[' || repeat('1,', 20000) || '\"x\"]'",
    "'{\"a\": {}}'",
    "'null'",
]


def test_compiled_text_is_made_of_our_own_words(owner_transaction: psycopg.Connection[Any]):
    evaluator = SqlEvaluator(owner_transaction, DECLARED)
    seen: set[FilterCondition] = set()

    @settings(max_examples=100, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    @given(filters())
    def check(made: MetadataFilter) -> None:
        compiled = evaluator.compile(made.to_json())
        rest = _NUMBERS.sub("", _PATH.sub("", compiled))
        assert rest.isascii()
        assert all(_WORD.fullmatch(word) for word in re.findall(r"[A-Za-z_][A-Za-z_0-9]*", rest)), rest
        assert re.fullmatch(r"[-A-Za-z_0-9 $#>@<=!.,:()\[\]*?&'\"]*", rest), rest
        assert "--" not in rest
        seen.update(made.conditions)

    check()
    assert len(seen) > 50


def test_a_row_of_another_class_is_not_looked_into(owner_transaction: psycopg.Connection[Any]):
    """Nothing but CASE bounds what the planner may evaluate first; it stands around all that looks at metadata."""
    evaluator = SqlEvaluator(owner_transaction, DECLARED)
    evaluator.store([{"number": 1, "other": 1}])
    for name in ("number", "other"):
        made = MetadataFilter.where(name, "eq", 1)
        compiled = evaluator.compile(made.to_json())
        head, _, rest = compiled.partition(" THEN ")
        assert head == "CASE WHEN d.acl_class_no = ANY ($2)"
        inside, _, after = rest.rpartition(" END")
        assert "d.metadata" in inside
        assert "d.metadata" not in after
        assert evaluator.matching(made) == [0]
        query, (filter_json, _, *numbers) = evaluator.statement(made)
        with psycopg.RawCursor(owner_transaction) as cursor:
            assert cursor.execute(query, [filter_json, [], *numbers]).fetchall() == []


def test_hostile_library_and_field_names_reach_no_statement(owner_transaction: psycopg.Connection[Any]):
    name = "'); DROP TABLE ragspine.document; --"
    evaluator = SqlEvaluator(owner_transaction, {name: "string"})
    evaluator.store([{name: name}, {name: "x"}])
    made = MetadataFilter.where(name, "in", [name])
    assert "DROP" not in evaluator.compile(made.to_json())
    assert evaluator.matching(made) == [0]


@pytest.mark.parametrize("name", ["number", "string", "boolean", "timestamp", "undeclared"])
def test_no_stored_metadata_makes_a_filter_fail(owner_transaction: psycopg.Connection[Any], name: str):
    evaluator = SqlEvaluator(owner_transaction, {} if name == "undeclared" else {name: name})
    for position, value in enumerate(WORST):
        owner_transaction.execute(
            _STORE.replace("%STORED%", value),
            [evaluator.tenant, evaluator.library, evaluator.acl_class, str(position), name],
        )
    made = list(_one_of_each(name))
    assert {condition.op for each in made for condition in each.conditions} >= set(OPERATORS) - {"prefix"}
    for each in made:
        evaluator.truths(each, len(WORST))


def _one_of_each(name: str) -> Iterator[MetadataFilter]:
    """Filters on a field, one of each operator and type of value that a field of that name takes."""
    values = {"number": 1, "string": "x", "boolean": True, "timestamp": "2024-05-01"}
    kinds = ["timestamp"] if name == "timestamp" else ["number", "string", "boolean"]
    for op, kind in itertools.product(OPERATORS, kinds):
        plain = values[kind]
        value: Any = None
        if op in ("in", "nin", "contains_any", "contains_all"):
            yield MetadataFilter.where(name, op, [plain] * 20)
            value = [plain]
        elif op == "between":
            value = [plain, plain]
        elif op == "prefix":
            if kind != "string":
                continue
            value = plain
        elif op not in ("exists", "is_null"):
            value = plain
        yield MetadataFilter.where(name, op, value)
