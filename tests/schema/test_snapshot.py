"""The snapshot is the same for the same schema, however it was made, and sees what differs."""

import os
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import sqlalchemy

from ragspine_pg.errors import SchemaError
from ragspine_pg.schema.ddl import ddl
from ragspine_pg.schema.migrate import migrate, sql_script
from ragspine_pg.schema.snapshot import snapshot
from ragspine_pg.schema.tables import metadata
from ragspine_pg.statement.render import render
from tests.fixtures.database import Database
from tests.schema.script import psql

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parents[2]


def test_catalogue_is_the_golden_one(empty_url: str) -> None:
    """RAGSPINE_WRITE_GOLDEN=1 writes the golden text of the server's major version instead."""
    migrate(empty_url)
    found = snapshot(empty_url)
    with psycopg.connect(empty_url) as connection:
        golden = GOLDEN / f"postgresql-{connection.info.server_version // 10000}.txt"
    if os.environ.get("RAGSPINE_WRITE_GOLDEN"):
        golden.write_text(found, encoding="utf-8")
    assert found.split("\n") == golden.read_text(encoding="utf-8").split("\n")


def test_script_for_psql_makes_the_same_schema(
    database: Database, make_empty: Callable[..., str], vector_schema: str
) -> None:
    url = make_empty(vector_schema)
    done = psql(url, sql_script(vector_schema=vector_schema))
    assert (done.returncode, done.stderr) == (0, "")
    assert snapshot(url) == snapshot(database.owner_url)


def test_script_stops_where_pgvector_is_elsewhere(make_empty: Callable[..., str]) -> None:
    url = make_empty("elsewhere")
    done = psql(url, sql_script())
    assert done.returncode == 3
    assert "--vector-schema" in done.stderr
    assert snapshot(url) == ""


def test_script_between_unknown_revisions_is_refused() -> None:
    with pytest.raises(SchemaError, match="rpg7777"):
        sql_script("base", "rpg7777")


def test_script_from_head_to_head_makes_rights_true_again(fresh_database: Database) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("GRANT SELECT ON ragspine.grant_key TO PUBLIC")
    with psycopg.connect(fresh_database.owner_url) as connection:
        row = connection.execute(
            "SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'"
        ).fetchone()
    assert row is not None
    done = psql(fresh_database.owner_url, sql_script("head", "head", vector_schema=row[0]))
    assert (done.returncode, done.stderr) == (0, "")
    assert "on table grant_key: SELECT to PUBLIC" not in snapshot(fresh_database.owner_url)


_SHAPE = ("relation ", "column ", "constraint ", "index ", "sequence ", "comment on table ")


def _shape(text: str) -> list[str]:
    """What tables.py describes: no functions, rights, policies, and not Alembic's own table."""
    return [line for line in text.split("\n") if line.startswith(_SHAPE) and "alembic_version" not in line]


def test_migrated_tables_are_those_of_the_metadata(
    make_empty: Callable[..., str], database: Database, vector_schema: str
) -> None:
    url = make_empty(vector_schema)
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))

    @sqlalchemy.event.listens_for(engine, "before_cursor_execute", retval=True)
    def _(connection, cursor, statement, parameters, context, many):
        return render(statement, vector_schema), parameters

    with engine.begin() as connection:
        connection.exec_driver_sql(f'SET LOCAL search_path = "{vector_schema}"')
        connection.exec_driver_sql("CREATE SCHEMA ragspine")
        metadata.create_all(connection)
    engine.dispose()
    assert _shape(snapshot(url)) == _shape(snapshot(database.owner_url))


def test_generated_ddl_is_up_to_date() -> None:
    frozen = (ROOT / "migrations/versions/rpg0001_create_spine.sql").read_text(encoding="utf-8")
    assert frozen == ddl(), "run `python -m ragspine_pg.schema.generate`"


# Each is a fault that alembic check does not see, or a kind of object that it does not know.
DRIFTS = {
    "index parameter": "ALTER INDEX ragspine.ix_acl_reader__tenant_no_acl_class_no SET (fillfactor = 50)",
    "index method": "DROP INDEX ragspine.ix_acl_reader__tenant_no_acl_class_no;"
    " CREATE INDEX ix_acl_reader__tenant_no_acl_class_no ON ragspine.acl_reader USING brin (tenant_no, acl_class_no)",
    "operator class": "DROP INDEX ragspine.ix_acl_reader__tenant_no_acl_class_no; CREATE INDEX"
    " ix_acl_reader__tenant_no_acl_class_no ON ragspine.acl_reader"
    " (tenant_no, acl_class_no, principal text_pattern_ops)",
    "partial predicate": "DROP INDEX ragspine.uq_index_version__published; CREATE UNIQUE INDEX"
    " uq_index_version__published ON ragspine.index_version (tenant_no, library_no) WHERE state = 'retired'",
    "check range": "ALTER TABLE ragspine.index_version DROP CONSTRAINT ck_index_version__b_is_a_share,"
    " ADD CONSTRAINT ck_index_version__b_is_a_share CHECK (b BETWEEN 0 AND 2)",
    "check not validated": "ALTER TABLE ragspine.index_version DROP CONSTRAINT ck_index_version__b_is_a_share,"
    " ADD CONSTRAINT ck_index_version__b_is_a_share CHECK (b BETWEEN 0 AND 1) NOT VALID",
    "foreign key action": "ALTER TABLE ragspine.document_page DROP CONSTRAINT fk_document_page__document,"
    " ADD CONSTRAINT fk_document_page__document FOREIGN KEY (tenant_no, document_no, acl_class_no)"
    " REFERENCES ragspine.document (tenant_no, document_no, acl_class_no) ON DELETE CASCADE",
    "generated expression": "ALTER TABLE ragspine.document ADD COLUMN n int GENERATED ALWAYS AS (text_length) STORED",
    "default": "ALTER TABLE ragspine.library ALTER COLUMN description SET DEFAULT 'x'",
    "collation": 'ALTER TABLE ragspine.lexeme ALTER COLUMN lexeme TYPE text COLLATE "POSIX"',
    "not null": "ALTER TABLE ragspine.document ALTER COLUMN title DROP NOT NULL",
    "identity": "ALTER TABLE ragspine.tenant ALTER COLUMN tenant_no SET GENERATED BY DEFAULT",
    "sequence step": "ALTER SEQUENCE ragspine.batch INCREMENT BY 2",
    "storage": "ALTER TABLE ragspine.chunk ALTER COLUMN text SET STORAGE EXTERNAL",
    "statistics target": "ALTER TABLE ragspine.chunk ALTER COLUMN text SET STATISTICS 7",
    "table parameter": "ALTER TABLE ragspine.chunk SET (autovacuum_enabled = false)",
    "persistence": "ALTER TABLE ragspine.corpus_stat SET UNLOGGED",
    "row security off": "ALTER TABLE ragspine.chunk DISABLE ROW LEVEL SECURITY",
    "row security forced": "ALTER TABLE ragspine.chunk FORCE ROW LEVEL SECURITY",
    "policy gone": "DROP POLICY readable ON ragspine.chunk",
    "policy opened": "ALTER POLICY readable ON ragspine.chunk USING (true)",
    "policy for others": "ALTER POLICY readable ON ragspine.chunk TO ragspine_reader",
    "policy added": "CREATE POLICY open ON ragspine.chunk FOR SELECT USING (true)",
    "grant to public": "GRANT SELECT ON ragspine.grant_key TO PUBLIC",
    "grant on a column": "GRANT SELECT (lexeme) ON ragspine.lexeme TO ragspine_reader",
    "grant option": "GRANT SELECT ON ragspine.chunk TO ragspine_reader WITH GRANT OPTION",
    "revoke": "REVOKE SELECT ON ragspine.chunk FROM ragspine_gate",
    "schema right": "GRANT CREATE ON SCHEMA ragspine TO ragspine_reader",
    "default privileges": "ALTER DEFAULT PRIVILEGES IN SCHEMA ragspine GRANT SELECT ON TABLES TO PUBLIC",
    "default privileges everywhere": "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
    "type right": "GRANT USAGE ON TYPE ragspine.chunk TO PUBLIC",
    "function right": "GRANT EXECUTE ON FUNCTION ragspine.granted_v1() TO PUBLIC",
    "function body": "CREATE OR REPLACE FUNCTION ragspine.granted_tenant_no_v1() RETURNS integer LANGUAGE sql STABLE"
    " PARALLEL SAFE AS 'SELECT 1'",
    "function invoker": "ALTER FUNCTION ragspine.granted_v1() SECURITY INVOKER",
    "function search_path": "ALTER FUNCTION ragspine.granted_v1() RESET search_path",
    "function volatility": "ALTER FUNCTION ragspine.granted_v1() VOLATILE",
    "function leakproof cost": "ALTER FUNCTION ragspine.granted_v1() COST 7",
    "function added": "CREATE FUNCTION ragspine.stray() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "trigger": "CREATE TRIGGER t BEFORE UPDATE ON ragspine.chunk FOR EACH ROW"
    " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "rule": "CREATE RULE r AS ON DELETE TO ragspine.lexeme DO INSTEAD NOTHING",
    "view": "CREATE VIEW ragspine.stray AS SELECT 1 AS one",
    "statistics object": "CREATE STATISTICS ragspine.s ON tenant_no, library_no FROM ragspine.document",
    "type": "CREATE TYPE ragspine.mood AS ENUM ('good')",
    "domain": "CREATE DOMAIN ragspine.positive AS int CHECK (VALUE > 0)",
    "text search configuration": "CREATE TEXT SEARCH CONFIGURATION ragspine.c (COPY = pg_catalog.english)",
    "operator": "CREATE OPERATOR ragspine.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)",
    "collation object": 'CREATE COLLATION ragspine.k FROM "C"',
    "comment": "COMMENT ON TABLE ragspine.chunk IS 'other'",
    "partition": "CREATE TABLE ragspine.part (n int) PARTITION BY LIST (n);"
    " CREATE TABLE ragspine.part_1 PARTITION OF ragspine.part FOR VALUES IN (1)",
}


@pytest.mark.parametrize("drift", DRIFTS)
def test_snapshot_sees(owner_transaction: "psycopg.Connection[tuple[object, ...]]", drift: str) -> None:
    before = snapshot(owner_transaction)
    assert snapshot(owner_transaction) == before
    owner_transaction.execute(DRIFTS[drift])
    assert snapshot(owner_transaction) != before
