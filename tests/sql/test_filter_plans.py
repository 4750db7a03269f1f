"""A condition on a declared field is an index condition, for the owner, whose functions evaluate filters."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.filter import MetadataFilter
from tests.filtering.sql_evaluator import SqlEvaluator
from tests.fixtures.database import Database

FIELDS = {"year": "number", "sku": "string", "when": "timestamp", "draft": "boolean"}
COUNT = 10_000

_FILL = """
INSERT INTO ragspine.document (tenant_no, library_no, acl_class_no, document_id, source_uri, title, metadata,
                               text_length, content_sha256)
SELECT %(tenant)s, %(library)s, %(class)s, n, '', '', jsonb_build_object(
         'year', n %% 1000, 'sku', 'sku-' || n, 'draft', n %% 500 = 0,
         'when', to_char(timestamp '2000-01-01' + n * interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
       0, repeat('0', 64)
  FROM generate_series(1, %(count)s) AS n
"""
_INDEX = """
INSERT INTO ragspine.document_field (tenant_no, field_no, key, document_no, acl_class_no)
SELECT d.tenant_no, k.field_no, k.key, d.document_no, d.acl_class_no
  FROM ragspine.document AS d, ragspine.document_field_keys_v1(d.metadata, d.tenant_no, d.library_no) AS k
"""

where = MetadataFilter.where
SELECTIVE = {
    "eq number": (where("year", "eq", 7), 10),
    "eq string": (where("sku", "eq", "sku-77"), 1),
    "eq boolean": (where("draft", "eq", True), 20),
    "eq timestamp": (where("when", "eq", "2000-01-01T04:00:00+02:00"), 1),
    "in": (where("sku", "in", [f"sku-{n}" for n in range(1, 21)]), 20),
    "gt number": (where("year", "gt", 997), 20),
    "lt number": (where("year", "lt", 2), 20),
    "between timestamp": (where("when", "between", ["2000-02-01", "2000-02-03"]), 25),
    "lte timestamp": (where("when", "lte", "2000-01-02"), 12),
    "prefix": (where("sku", "prefix", "sku-999"), 11),
    "none_of": (MetadataFilter.none_of(where("year", "gte", 2)), 20),
    "any_of": (MetadataFilter.any_of(where("sku", "eq", "sku-1"), where("year", "eq", 7)), 11),
    "all_of": (MetadataFilter.all_of(where("sku", "prefix", "sku-1"), where("sku", "eq", "sku-17")), 1),
}


@pytest.fixture(scope="module")
def evaluator(database: Database) -> Iterator[SqlEvaluator]:
    with psycopg.connect(database.owner_url) as connection:
        made = SqlEvaluator(connection, FIELDS)
        numbers = {"tenant": made.tenant, "library": made.library, "class": made.acl_class, "count": COUNT}
        connection.execute(_FILL, numbers)
        connection.execute("ANALYZE ragspine.document")  # or the checks of foreign keys take an index that finds all
        connection.execute(_INDEX)
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE ragspine.document, ragspine.document_field")
        connection.autocommit = False
        yield made


@pytest.mark.parametrize("case", SELECTIVE)
def test_condition_on_declared_field_is_an_index_condition(evaluator: SqlEvaluator, case: str):
    made, expected = SELECTIVE[case]
    lookup, parameters = _lookup(evaluator, made)
    scans = [node for node in _nodes(_explain(evaluator.connection, lookup, parameters)) if "Relation Name" in node]
    assert scans
    for scan in scans:
        assert scan["Index Name"] == "pk_document_field"
        assert all(column in scan["Index Cond"] for column in ("tenant_no", "field_no", "acl_class_no", "key")), scan
    # What is found there is looked up by its numbers.
    plan = _explain(evaluator.connection, *evaluator.statement(made))
    assert any("document_no" in node.get("Index Cond", "") for node in _nodes(plan)), plan
    assert plan["Actual Rows"] == expected


def test_the_planner_knows_no_value_of_a_filter(evaluator: SqlEvaluator):
    """Its guess would come of hidden values, and its choice tell of them."""
    for one, other in [("sku-1", "sku-none"), ("sku-9", "sku-77")]:
        for op in ("eq", "gte", "prefix"):
            guesses = [
                _explain(evaluator.connection, *_lookup(evaluator, where("sku", op, value)))["Plan Rows"]
                for value in (one, other)
            ]
            assert guesses[0] == guesses[1]


def test_where_many_documents_match_all_are_looked_at(evaluator: SqlEvaluator):
    """Counted, not guessed: 2,000 numbers stand in the text, and no more."""
    assert "document_no = ANY" in evaluator.compile(where("year", "between", [0, 199]).to_json())
    assert "document_no" not in evaluator.compile(where("year", "between", [0, 200]).to_json())
    assert len(evaluator.matching(where("year", "between", [0, 199]))) == 2000
    assert len(evaluator.matching(where("year", "between", [0, 200]))) == 2010


def test_undeclared_field_has_no_part_in_the_index(evaluator: SqlEvaluator):
    assert "document_no" not in evaluator.compile(where("other", "eq", "x").to_json())
    assert "document_no" not in evaluator.compile(where("year", "eq", "a string").to_json())
    assert "document_no" in evaluator.compile(where("year", "eq", 7).to_json())


def _lookup(evaluator: SqlEvaluator, made: MetadataFilter) -> tuple[str, list[Any]]:
    """The look-up in the index of declared fields that comes first for a filter, and its parameters."""
    _, parameters = evaluator.statement(made)
    with psycopg.RawCursor(evaluator.connection) as cursor:
        row = cursor.execute(
            "SELECT n.narrowing FROM ragspine.compile_node_v1($1, '{}', true, $2, $3) AS c,"
            " unnest(c.narrowing) WITH ORDINALITY AS n (narrowing, position)"
            " ORDER BY n.narrowing NOT LIKE '%f.key = %', n.position LIMIT 1",
            [parameters[0], *parameters[2:]],
        ).fetchone()
    assert row is not None
    return str(row[0]), parameters[:2]


def _explain(connection: psycopg.Connection[Any], query: str, parameters: list[Any]) -> dict[str, Any]:
    with psycopg.RawCursor(connection) as cursor:
        row = cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", parameters).fetchone()
    assert row is not None
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def test_an_index_lookup_of_equality_comes_first(evaluator: SqlEvaluator):
    ranges = [where("year", "gte", n) for n in range(20)]
    made = MetadataFilter.all_of(*ranges, where("sku", "eq", "sku-19"))
    assert evaluator.compile(made.to_json()).count("d.document_no = ANY ('{") == 1
    assert "f.key = " in _lookup(evaluator, made)[0]
    assert evaluator.matching(made) == [19]
    assert "document_no" not in evaluator.compile(MetadataFilter.all_of(*ranges).to_json())
