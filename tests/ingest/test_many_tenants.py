"""A large library beside many small tenants: every statement of an ingest finds its rows by their keys.

Rows that a plan read and threw away are counted; tables are small enough for ANALYZE to see all of them, and autovacuum
is off, so that neither time nor chance has a say.
"""

import json
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.flow.driver import run
from ragspine_pg.ingest import pipeline
from ragspine_pg.statement.render import render
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant
from tests.ingest.shelf import Shelf

TENANTS, DOCUMENTS = 1500, 1200

# Tenants of one document with twenty words each, put in set-wise.
FILL = """
INSERT INTO ragspine.tenant (tenant) SELECT 'small-' || n FROM generate_series(1, %(tenants)s) AS n;
INSERT INTO ragspine.library (tenant_no, library_id) SELECT tenant_no, 'notes' FROM ragspine.tenant;
INSERT INTO ragspine.index_version
       (tenant_no, library_no, version, state, analyzer, k1, b, pivot, profile, environment, lexeme_count, published_at)
  SELECT tenant_no, library_no, 1, 'published', 'simple', 1.2, 0.75, 1, '{}', ragspine.environment_v1(), 20, now()
    FROM ragspine.library;
INSERT INTO ragspine.acl_class (tenant_no, sensitivity, open_to_members, readers_sha256)
  SELECT tenant_no, 'INTERNAL', true, sha256('') FROM ragspine.tenant;
INSERT INTO ragspine.document
       (tenant_no, library_no, acl_class_no, document_id, source_uri, title, metadata, text_length, content_sha256)
  SELECT tenant_no, library_no, acl_class_no, 'd', '', '', '{}', 4, repeat('0', 64)
    FROM ragspine.library JOIN ragspine.acl_class USING (tenant_no);
INSERT INTO ragspine.document_page (tenant_no, document_no, page_no, acl_class_no, text)
  SELECT tenant_no, document_no, 0, acl_class_no, 'word' FROM ragspine.document;
INSERT INTO ragspine.chunk
       (tenant_no, version_no, document_no, document_length, acl_class_no, chunk_id, ordinal, span_start, span_end,
        slice_sha256, text)
  SELECT tenant_no, version_no, document_no, 4, acl_class_no, md5(document_no::text), 0, 0, 4,
         encode(sha256('word'), 'hex'), 'word'
    FROM ragspine.document JOIN ragspine.index_version USING (tenant_no, library_no);
INSERT INTO ragspine.chunk_lexical (tenant_no, version_no, acl_class_no, chunk_no, document_no, length, impacts)
  SELECT tenant_no, version_no, acl_class_no, chunk_no, document_no, 1, '{1:0.5}/1000000000'::@vector@.sparsevec
    FROM ragspine.chunk;
INSERT INTO ragspine.lexeme (tenant_no, version_no, lexeme_no, lexeme)
  SELECT tenant_no, version_no, n, 'word' || n FROM ragspine.index_version, generate_series(1, 20) AS n;
INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
  SELECT c.tenant_no, c.version_no, n, c.acl_class_no, 1, 1 FROM ragspine.chunk AS c, generate_series(1, 20) AS n;
INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
  SELECT tenant_no, version_no, acl_class_no, 1, 1, 1 FROM ragspine.chunk;
DO $$
DECLARE
  name regclass;
BEGIN
  FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace AND relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name);
  END LOOP;
END
$$;
ANALYZE;
"""


def document(number: int, edition: str = "") -> Document:
    text = f"{edition} " + " ".join(f"word{number * 7 % 1500 + k}" for k in range(10))
    return Document(f"d{number}", text, readers={f"user:{number % 5}"} if number % 3 else None)


def fill(database: Database, vector_schema: str) -> None:
    text = render(FILL, vector_schema).replace("%(tenants)s", str(TENANTS))
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        connection.execute(text)  # type: ignore[call-overload]


def wasted(database: Database, flow: Any) -> dict[str, int]:
    """By the first line of each statement ``flow`` runs as the ingest login, nested ones too: rows read in vain."""
    found: dict[str, int] = {}

    def note(notice: psycopg.errors.Diagnostic) -> None:
        message = notice.message_primary or ""
        if "{" in message:
            plan = json.loads(message[message.index("{") :])
            name = plan["Query Text"].strip().split("\n")[0]
            found[name] = max(found.get(name, 0), thrown_away(plan["Plan"]))

    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.add_notice_handler(note)
        try:
            connection.execute("LOAD 'auto_explain'")
        except psycopg.errors.UndefinedFile:
            pytest.skip("this server comes without auto_explain")
        for name, value in {
            "auto_explain.log_min_duration": "0",
            "auto_explain.log_nested_statements": "on",
            "auto_explain.log_analyze": "on",
            "auto_explain.log_timing": "off",
            "auto_explain.log_format": "json",
            "auto_explain.log_parameter_max_length": "0",
            "client_min_messages": "log",
        }.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        connection.execute("SET SESSION AUTHORIZATION ingest")
        with connection.transaction():
            run(flow, connection)
    return found


def thrown_away(plan: dict[str, Any]) -> int:
    """Rows that a plan's nodes read and dropped by a filter."""
    removed = sum(count for key, count in plan.items() if key.startswith("Rows Removed by"))
    return int(removed * plan["Actual Loops"]) + sum(map(thrown_away, plan.get("Plans", [])))


def assert_rows_are_found_by_key(database: Database, vector_schema: str) -> None:
    """The core: nothing is read in vain for every row that is written; a look at all a tenant has, once, is allowed."""
    fill(database, vector_schema)
    shelf = Shelf(database)
    place = (shelf.tenant, shelf.library)
    every = [document(n) for n in range(DOCUMENTS)]
    for flow in (
        pipeline.ingest(*place, every),
        pipeline.ingest(*place, every),
        pipeline.ingest(*place, [document(n, "new") for n in range(0, DOCUMENTS, 3)]),
        pipeline.relabel_document(*place, "d1", readers={"user:9"}),
        pipeline.delete_document(*place, "d2"),
        pipeline.optimize(*place),
    ):
        found = wasted(database, flow)
        assert len(found) > 5
        assert {name: rows for name, rows in found.items() if rows > 10 * DOCUMENTS} == {}


def test_rows_are_found_by_key(fresh_database: Database, vector_schema: str) -> None:
    assert_rows_are_found_by_key(fresh_database, vector_schema)


def test_rows_are_found_by_key_has_teeth(fresh_database: Database, vector_schema: str, plant: Plant) -> None:
    plant("refresh_planner_v1", ("key.expected < 100 AS doubtful", "false AS doubtful"))
    with pytest.raises(AssertionError, match="Compares what was planned"):
        assert_rows_are_found_by_key(fresh_database, vector_schema)


def test_a_word_is_found_by_key_has_teeth(fresh_database: Database, vector_schema: str) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("DROP STATISTICS ragspine.st_lexeme__tenant_no_version_no")
    with pytest.raises(AssertionError, match="Notes the numbers of those lexemes"):
        assert_rows_are_found_by_key(fresh_database, vector_schema)
