"""A condition on a declared field is an index condition, for the owner and for a reader under row-level security."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.grant import GrantKey, mint_grant
from tests.filtering.sql_evaluator import SqlEvaluator
from tests.fixtures.database import Database

FIELDS = {"year": "number", "sku": "string", "when": "timestamp", "draft": "boolean"}
COUNT = 10_000

# A reader gets the lexical leg's answers from a function of the owner's; here it runs the expression itself.
_FUNCTIONS = ("field_key_v1", "field_keys_v1", "number_key_v1", "list_values_v1", "read_instant_v1", "read_instants_v1")

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
        for function in _FUNCTIONS:
            connection.execute(f"GRANT EXECUTE ON FUNCTION ragspine.{function} TO ragspine_reader")
        # Readers have no right on tables (docs/adr/0007); here they stand for any role that the policies bind.
        connection.execute("GRANT SELECT ON ragspine.document, ragspine.document_field TO ragspine_reader")
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE ragspine.document, ragspine.document_field")
        connection.autocommit = False
        yield made


@pytest.fixture(params=["owner", "reader"])
def asking(request: pytest.FixtureRequest, database: Database, evaluator: SqlEvaluator) -> Iterator[psycopg.Connection]:
    with psycopg.connect(getattr(database, f"{request.param}_url")) as connection:
        if request.param == "reader":
            access = Access(evaluator.tenant_id, {"user:any"})
            grant = mint_grant(GrantKey.parse(database.grant_key), access)
            connection.execute("SELECT ragspine.assume(%s)", [grant])
            active = connection.execute("SELECT row_security_active('ragspine.document_field')").fetchone()
            assert active == (True,)
        yield connection


@pytest.mark.parametrize("case", SELECTIVE)
def test_condition_on_declared_field_is_an_index_condition(
    asking: psycopg.Connection[Any], evaluator: SqlEvaluator, case: str
):
    made, expected = SELECTIVE[case]
    plan = _explain(asking, evaluator, made)
    scans = [node for node in _nodes(plan) if node.get("Relation Name") == "document_field"]
    assert scans
    # Of several conditions that all hold, one may be looked up by document; one is always looked up by key.
    by_key = [scan for scan in scans if scan.get("Index Name") == "pk_document_field"]
    assert by_key if case == "all_of" else by_key == scans
    for scan in by_key:
        assert all(column in scan["Index Cond"] for column in ("tenant_no", "field_no", "key")), scan
    assert plan["Actual Rows"] == expected


def test_undeclared_field_has_no_part_in_the_index(evaluator: SqlEvaluator):
    compiled = evaluator.compile(where("other", "eq", "x").to_json())
    assert "document_field" not in compiled
    assert "document_field" not in evaluator.compile(where("year", "eq", "a string").to_json())
    assert "document_field" in evaluator.compile(where("year", "eq", 7).to_json())


def _explain(connection: psycopg.Connection[Any], evaluator: SqlEvaluator, made: MetadataFilter) -> dict[str, Any]:
    query, parameters = evaluator.statement(made)
    with psycopg.RawCursor(connection) as cursor:
        row = cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", parameters).fetchone()
    assert row is not None
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def test_at_most_four_index_lookups_are_joined_equality_first(evaluator: SqlEvaluator):
    ranges = [where("year", "gte", n) for n in range(20)]
    compiled = evaluator.compile(MetadataFilter.all_of(*ranges, where("sku", "eq", "sku-1")).to_json())
    assert compiled.count("d.document_no IN (") == 4
    assert compiled.index("f.key = ") < compiled.index("f.key >= ")
    assert evaluator.matching(MetadataFilter.all_of(*ranges, where("sku", "eq", "sku-19"))) == [19]
