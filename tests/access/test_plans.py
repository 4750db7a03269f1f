"""Tenant, version and classes are index conditions, as is a declared field, for the reader's own login."""

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from ragspine_pg.statement.render import render
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine
from tests.ingest.shelf import Shelf

ME = Access("tenant-3", {"user:ann"})

# Twenty tenants of 2,000 one-word documents in 50 classes each, put in set-wise; what is measured is plans alone.
FILL = """
INSERT INTO ragspine.tenant (tenant) SELECT 'tenant-' || n FROM generate_series(1, 20) AS n;
INSERT INTO ragspine.library (tenant_no, library_id) SELECT tenant_no, 'notes' FROM ragspine.tenant;
INSERT INTO ragspine.library_field (tenant_no, library_no, name, type)
  SELECT tenant_no, library_no, 'n', 'number' FROM ragspine.library;
INSERT INTO ragspine.index_version
       (tenant_no, library_no, version, state, analyzer, k1, b, pivot, profile, environment, lexeme_count, published_at)
  SELECT tenant_no, library_no, 1, 'published', 'simple', 1.2, 0.75, 1, '{}', ragspine.environment_v1(), 100, now()
    FROM ragspine.library;
INSERT INTO ragspine.acl_class (tenant_no, sensitivity, open_to_members, readers_sha256)
  SELECT t.tenant_no, 'INTERNAL', n = 1, ragspine.readers_sha256_v1(ARRAY[n::text], n = 1)
    FROM ragspine.tenant AS t, generate_series(1, 50) AS n ORDER BY t.tenant_no, n;
INSERT INTO ragspine.acl_reader (tenant_no, principal, acl_class_no, sensitivity)
  SELECT tenant_no, 'user:ann', acl_class_no, sensitivity FROM ragspine.acl_class WHERE NOT open_to_members;
INSERT INTO ragspine.document
       (tenant_no, library_no, acl_class_no, document_id, source_uri, title, metadata, text_length, content_sha256)
  SELECT l.tenant_no, l.library_no,
         (SELECT min(acl_class_no) FROM ragspine.acl_class AS a WHERE a.tenant_no = l.tenant_no) + n % 50,
         'd' || n, '', '', jsonb_build_object('n', n), 4, repeat('0', 64)
    FROM ragspine.library AS l, generate_series(1, 2000) AS n;
INSERT INTO ragspine.document_field (tenant_no, field_no, key, document_no, acl_class_no)
  SELECT d.tenant_no, k.field_no, k.key, d.document_no, d.acl_class_no
    FROM ragspine.document AS d
   CROSS JOIN LATERAL ragspine.document_field_keys_v1(d.metadata, d.tenant_no, d.library_no) AS k;
INSERT INTO ragspine.chunk
       (tenant_no, version_no, document_no, document_length, acl_class_no, chunk_id, ordinal, span_start, span_end,
        slice_sha256, text)
  SELECT d.tenant_no, v.version_no, d.document_no, 4, d.acl_class_no, md5(d.document_no::text), 0, 0, 4,
         encode(sha256('word'), 'hex'), 'word'
    FROM ragspine.document AS d
    JOIN ragspine.index_version AS v ON v.tenant_no = d.tenant_no AND v.library_no = d.library_no;
INSERT INTO ragspine.lexeme (tenant_no, version_no, lexeme_no, lexeme)
  SELECT tenant_no, version_no, 1, 'word' FROM ragspine.index_version;
INSERT INTO ragspine.chunk_lexical (tenant_no, version_no, acl_class_no, chunk_no, document_no, length, impacts)
  SELECT tenant_no, version_no, acl_class_no, chunk_no, document_no, 1,
         ('{1:' || random() || '}/1000000000')::@vector@.sparsevec
    FROM ragspine.chunk;
INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
  SELECT tenant_no, version_no, 1, acl_class_no, 1, count(*) FROM ragspine.chunk GROUP BY 1, 2, 4;
INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
  SELECT tenant_no, version_no, acl_class_no, 1, count(*), count(*) FROM ragspine.chunk GROUP BY 1, 2, 3;
"""


# Our functions keep the plans inside them from whoever calls (docs/security.md).
LET_PLANS_OUT = """
DO $$
DECLARE
  quiet regprocedure;
BEGIN
  FOR quiet IN SELECT oid FROM pg_proc WHERE 'client_min_messages=error' = ANY (proconfig) LOOP
    EXECUTE format('ALTER FUNCTION %s RESET client_min_messages', quiet);
  END LOOP;
END $$"""


@pytest.fixture(scope="module")
def large(database: Database, vector_schema: str) -> Iterator[RagSpine]:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        connection.execute(render(FILL, vector_schema))  # type: ignore[call-overload]
        connection.execute("ANALYZE")
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(LET_PLANS_OUT)
    with open_spine(database) as spine:
        yield spine


def plans(database: Database, spine: RagSpine, search: Any) -> list[str]:
    """The plans of every statement that ``search`` runs as the reader, nested ones too."""
    seen: list[str] = []
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.add_notice_handler(lambda notice: seen.append(notice.message_primary or ""))
        try:
            connection.execute("LOAD 'auto_explain'")
        except psycopg.errors.UndefinedFile:
            pytest.skip("this server comes without auto_explain")
        for name, value in {
            "auto_explain.log_min_duration": "0",
            "auto_explain.log_nested_statements": "on",
            "auto_explain.log_analyze": "off",
            "auto_explain.log_parameter_max_length": "0",
            "client_min_messages": "log",
        }.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        connection.execute("SET SESSION AUTHORIZATION reader")
        with RagSpine.open(connection, grant_key=database.grant_key) as borrowed:
            search(borrowed)
    return seen


def conditions(found: list[str], index: str) -> str:
    """Index conditions of the scans of ``index``."""
    lines = [line for plan in found for line in plan.splitlines()]
    return "\n".join(
        after.strip()
        for at, line in enumerate(lines)
        if f" on {index}" in line or f"using {index} " in line
        for after in lines[at + 1 : at + 4]
        if "Index Cond" in after
    )


def assert_found_by_index(database: Database, spine: RagSpine) -> None:
    """The core: the scan and the look-ups of a search go through indexes, by tenant, version and classes."""
    found = plans(database, spine, lambda s: s.search("word", access=ME, k=5))
    scan = conditions(found, "pk_chunk_lexical")
    for column in ("tenant_no = ", "version_no = ", "acl_class_no = ANY"):
        assert column in scan
    assert "Seq Scan on chunk_lexical" not in "\n".join(found)
    assert "Seq Scan on chunk " not in "\n".join(found)
    assert "Seq Scan on document " not in "\n".join(found)


def test_a_search_finds_its_rows_by_index(large: RagSpine, database: Database) -> None:
    assert len(large.search("word", access=ME, k=5).hits) == 5
    assert_found_by_index(database, large)


def test_a_declared_field_is_an_index_condition(large: RagSpine, database: Database) -> None:
    filters = MetadataFilter.where("n", "between", [50, 51])
    hits = large.search("word", access=ME, metadata_filter=filters).hits
    assert sorted(hit.metadata["n"] for hit in hits) == [50, 51]
    found = plans(database, large, lambda s: s.search("word", access=ME, metadata_filter=filters))
    keys = conditions(found, "pk_document_field")
    assert "tenant_no = " in keys
    assert "field_no = " in keys
    assert "key >= " in keys


def test_row_level_security_judges_rows_that_were_found_by_key(large: RagSpine, database: Database) -> None:
    """A policy asks for the class of a row, so the gate's own conditions have to come first; integer equality may."""
    with psycopg.connect(database.superuser_url) as connection:
        connection.execute("SET ROLE ragspine_gate")
        connection.execute("SELECT set_config('ragspine.grant', %s, true)", [large.grant(ME)])
        for statement, key in (
            ("FROM ragspine.document WHERE tenant_no = 3 AND document_no = 5000", "document_no = "),
            ("FROM ragspine.chunk WHERE tenant_no = 3 AND version_no = 3 AND chunk_no = 5000", "chunk_no = "),
        ):
            rows = connection.execute(f"EXPLAIN SELECT * {statement}").fetchall()  # type: ignore[call-overload]
            plan = "\n".join(row[0] for row in rows)
            assert re.search(rf"Index Cond: .*{key}.*\n.*Filter: ragspine.admits_v1", plan), plan


def test_plans_has_teeth(large: RagSpine, database: Database) -> None:
    with psycopg.connect(database.owner_url) as connection:
        connection.execute("ALTER DATABASE " + database.name + " SET enable_indexscan = off")  # type: ignore[call-overload]
        connection.execute("ALTER DATABASE " + database.name + " SET enable_bitmapscan = off")  # type: ignore[call-overload]
        connection.execute("ALTER DATABASE " + database.name + " SET enable_indexonlyscan = off")  # type: ignore[call-overload]
        connection.commit()
        try:
            with pytest.raises(AssertionError):
                assert_found_by_index(database, large)
        finally:
            for name in ("enable_indexscan", "enable_bitmapscan", "enable_indexonlyscan"):
                connection.execute(f"ALTER DATABASE {database.name} RESET {name}")  # type: ignore[call-overload]


def assert_one_look(database: Database) -> None:
    """The core: however many documents are another's, whether a library has one of the caller's is one look."""
    shelf = Shelf(database)
    shelf.ingest(*[Document(f"d{n}", "word") for n in range(300)], Document("mine", "word", readers={"user:ann"}))
    [numbers] = shelf.owner(
        "SELECT d.tenant_no, d.library_no, d.acl_class_no FROM ragspine.document AS d"
        " JOIN ragspine.tenant AS t USING (tenant_no) WHERE t.tenant = %(tenant)s AND d.document_id = 'mine'"
    )
    with psycopg.connect(database.superuser_url) as connection:
        connection.execute("ANALYZE ragspine.document")
        connection.commit()
        for _ in range(10):  # the sixth may be planned for any numbers
            asked = connection.execute("SELECT ragspine.reads_library_v1(%s, %s, ARRAY[%s])", numbers)
            assert asked.fetchone() == (True,)
        rows = connection.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
            " WHERE relid = 'ragspine.document'::regclass"
        )
        assert rows.fetchone() == (10,)


def test_whether_a_library_has_something_to_read_is_one_look(fresh_database: Database) -> None:
    assert_one_look(fresh_database)


def test_whether_a_library_has_something_to_read_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("reads_library_v1", ("BETWEEN k.class AND k.class", "= k.class"))
    with pytest.raises(AssertionError):
        assert_one_look(fresh_database)
