"""A clean installation is found clean; each planted fault is named, with its check, its level and what to do."""

import psycopg
import pytest

from ragspine_pg.contract.grant import GrantKey
from tests.doctor.conftest import Plant, diagnose, fixes, told
from tests.fixtures.database import Database

_DISABLE = "SET session_replication_role = replica;"  # past foreign keys and their triggers


def test_clean_installation_is_clean(filled: Database) -> None:
    diagnosis = diagnose(filled)
    assert told(diagnosis) == []
    assert diagnosis.ok
    assert [check.check for check in diagnosis.checks if check.unchecked] == ["folder"]
    assert len(diagnosis.checks) == 32


@pytest.mark.parametrize(
    ("fault", "check", "level", "what"),
    [
        ("DROP POLICY readable ON ragspine.chunk", "policies", "error", "policy readable on table chunk is missing"),
        (
            "DROP POLICY bounded ON ragspine.document",
            "policies",
            "error",
            "policy bounded on table document is missing",
        ),
        (
            "CREATE POLICY extra ON ragspine.chunk FOR SELECT USING (true)",
            "policies",
            "error",
            "policy extra on table chunk is none of ours",
        ),
        (
            "CREATE POLICY theirs_too ON ragspine.chunk TO owner, ragspine_reader USING (true)",
            "policies",
            "error",
            "policy theirs_too on table chunk is none of ours",
        ),
        (
            "COMMENT ON POLICY readable ON ragspine.chunk IS 'sha256 0'",
            "policies",
            "error",
            "policy readable on table chunk was made from another text",
        ),
        (
            "ALTER POLICY readable ON ragspine.chunk USING (true)",
            "policy_texts",
            "error",
            "policy readable on table chunk does not say",
        ),
        (
            "ALTER POLICY bounded ON ragspine.document TO ragspine_ingest",
            "policy_texts",
            "error",
            "policy bounded on table document does not say",
        ),
        ("ALTER TABLE ragspine.lexeme DISABLE ROW LEVEL SECURITY", "row_security", "error", "off on table lexeme"),
        (
            "ALTER TABLE ragspine.chunk FORCE ROW LEVEL SECURITY",
            "row_security",
            "error",
            "forced on the owner of table chunk",
        ),
        (
            "CREATE OR REPLACE FUNCTION ragspine.granted_tenant_no_v1() RETURNS integer LANGUAGE sql STABLE"
            " SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS 'SELECT min(tenant_no) FROM ragspine.tenant'",
            "functions",
            "error",
            "function granted_tenant_no_v1() is not this release's",
        ),
        ("ALTER FUNCTION ragspine.assume_v1 SECURITY DEFINER", "functions", "error", "function assume_v1("),
        ("ALTER FUNCTION ragspine.assume_v1 RESET search_path", "functions", "error", "function assume_v1("),
        ("DROP FUNCTION ragspine.search_lexical CASCADE", "functions", "error", "function search_lexical("),
        (
            "CREATE FUNCTION ragspine.stray() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "functions",
            "warning",
            "function stray() is none of ours",
        ),
        (
            "ALTER FUNCTION ragspine.granted_v1 OWNER TO postgres",
            "functions",
            "error",
            "granted_v1 is owned by postgres",
        ),
        (
            "ALTER FUNCTION ragspine.granted_v1 OWNER TO ragspine_gate",
            "functions",
            "error",
            "granted_v1 is owned by ragspine_gate",
        ),
        (
            "ALTER FUNCTION ragspine.verify_locator_v1 OWNER TO postgres",
            "gate",
            "error",
            "verify_locator_v1(library_id text, document_id text, locator text) is owned by postgres",
        ),
        (
            "ALTER FUNCTION ragspine.find_document_v1 OWNER TO owner",
            "gate",
            "warning",
            "find_document_v1(library_id text, document_id text) are not ragspine_gate's but owner's",
        ),
        ("ALTER TABLE ragspine.lexeme OWNER TO ragspine_gate", "gate", "error", "or owns tables"),
        (
            "ALTER TABLE ragspine.chunk DISABLE ROW LEVEL SECURITY",
            "gate",
            "error",
            "ragspine_gate reads table chunk, where row-level security is off",
        ),
        (
            "GRANT EXECUTE ON FUNCTION pg_stat_get_xact_numscans(oid), pg_stat_get_blocks_hit(oid) TO PUBLIC",
            "counters",
            "warning",
            "(pg_stat_get_blocks_hit(oid) and 1 more)",
        ),
        (
            "ALTER TABLE ragspine.chunk DROP CONSTRAINT ck_chunk__span_inside_document",
            "objects",
            "error",
            "constraint chunk.ck_chunk__span_inside_document is missing",
        ),
        (
            "DROP INDEX ragspine.uq_index_version__published",
            "objects",
            "error",
            "index uq_index_version__published is missing",
        ),
        ("ALTER TABLE ragspine.chunk DISABLE TRIGGER ALL", "objects", "error", "it is switched off"),
        ("CREATE TABLE ragspine.stray (n int)", "objects", "warning", "table stray is none of ours"),
        (
            "GRANT CREATE ON SCHEMA public TO PUBLIC",
            "powers",
            "warning",
            "role reader may make objects in schema public",
        ),
        (
            "GRANT CREATE ON DATABASE <database> TO reader",
            "powers",
            "warning",
            "role reader may make objects in database",
        ),
        (
            "GRANT TEMPORARY ON DATABASE <database> TO PUBLIC",
            "temporary",
            "warning",
            "everybody may make temporary tables",
        ),
        ("REVOKE TEMPORARY ON DATABASE <database> FROM ingest", "logins", "error", "may not make temporary tables"),
        ("UPDATE ragspine.grant_key SET retired_at = now()", "grant_keys", "error", "no key that verifies grants"),
        ("UPDATE ragspine.grant_key SET inner_pad = outer_pad", "grant", "error", "is refused"),
        (
            "UPDATE ragspine.index_version SET environment = 'postgresql 9, libc C'",
            "environments",
            "error",
            "version 1 (published) of doctor/handbook was indexed under postgresql 9, libc C",
        ),
        (
            "INSERT INTO ragspine.corpus_stat SELECT tenant_no, version_no, acl_class_no, n * s, s, s"
            " FROM ragspine.corpus_stat, generate_series(1000, 1100) AS n, unnest('{1, -1}'::int[]) AS s"
            " WHERE batch_no = (SELECT min(batch_no) FROM ragspine.corpus_stat)",
            "statistics",
            "warning",
            "a statistic of doctor/handbook is a sum of 203 rows",
        ),
        (
            "UPDATE ragspine.corpus_stat SET chunk_count = chunk_count + 1",
            "libraries",
            "error",
            "doctor/handbook, version 1: 3 rows break the rule that corpus statistics",
        ),
        (
            "UPDATE ragspine.lexeme_stat SET chunk_count = chunk_count + 1",
            "libraries",
            "error",
            "break the rule that document frequencies",
        ),
        (
            f"{_DISABLE} DELETE FROM ragspine.chunk_lexical",
            "libraries",
            "error",
            "break the rule that every chunk has its lexical row",
        ),
        (
            f"{_DISABLE} UPDATE ragspine.document_page SET text = 'X' || substr(text, 2)",
            "libraries",
            "error",
            "break the rule that pages hold the text",
        ),
        ("UPDATE ragspine.index_version SET state = 'retired'", "libraries", "error", "0 published versions"),
        ("UPDATE ragspine.alembic_version SET version_num = 'rpg0000'", "schema", "error", "at revision rpg0000"),
        (
            "ALTER TABLE ragspine.chunk DROP COLUMN ordinal CASCADE",
            "objects",
            "error",
            "column chunk.ordinal is missing",
        ),
        ("ALTER TABLE ragspine.chunk ADD extra int", "tables", "warning", "column chunk.extra is none of ours"),
        (
            "ALTER TABLE ragspine.corpus_stat ALTER chunk_count TYPE numeric",
            "tables",
            "error",
            "column corpus_stat.chunk_count is not this release's",
        ),
        (
            "ALTER TABLE ragspine.library ALTER description DROP NOT NULL",
            "tables",
            "error",
            "column library.description is not this release's",
        ),
        (
            "ALTER TABLE ragspine.library ALTER description SET DEFAULT 'x'",
            "tables",
            "error",
            "column library.description is not this release's",
        ),
        (
            "ALTER TABLE ragspine.library DROP CONSTRAINT ck_library__library_id_is_a_name,"
            " ADD CONSTRAINT ck_library__library_id_is_a_name CHECK (true)",
            "tables",
            "error",
            "constraint library.ck_library__library_id_is_a_name is not this release's",
        ),
        (
            "ALTER TABLE ragspine.library ADD CONSTRAINT never CHECK (library_id <> '')",
            "tables",
            "warning",
            "constraint library.never is none of ours",
        ),
        (
            "DROP INDEX ragspine.uq_index_version__published; CREATE UNIQUE INDEX uq_index_version__published"
            " ON ragspine.index_version (tenant_no, library_no) WHERE state = 'retired'",
            "tables",
            "error",
            "index uq_index_version__published is not this release's",
        ),
        ("COMMENT ON TABLE ragspine.alembic_version IS 'build 0'", "build", "error", "made by another build"),
        ("COMMENT ON TABLE ragspine.alembic_version IS NULL", "build", "error", "made by another build"),
        ("DROP SCHEMA ragspine CASCADE", "schema", "error", "no schema ragspine"),
    ],
    ids=lambda value: value[:70] if " " in value else "",
)
def test_planted_fault_is_named(filled: Database, plant: Plant, fault: str, check: str, level: str, what: str) -> None:
    plant(fault)
    diagnosis = diagnose(filled)
    found = told(diagnosis)
    assert [item for item in found if item[:2] == (check, level) and what in item[2]], found
    assert fixes(diagnosis) == []
    if level == "error":
        assert not diagnosis.ok


_QUIET = (
    "log_error_verbosity = terse",
    "log_min_error_statement = panic",
    "log_parameter_max_length = -1",
    "log_statement = none",
    "log_min_duration_statement = -1",
    "log_parameter_max_length_on_error = 0",
)


@pytest.mark.parametrize(
    ("setting", "what", "how"),
    [
        ("log_error_verbosity = verbose", "takes the details of errors", "set log_error_verbosity = terse"),
        ("log_min_error_statement = error", "takes statements that fail", "set log_min_error_statement = panic"),
        ("log_statement = mod", "takes the parameters of statements", "set log_parameter_max_length = 0"),
        ("log_min_duration_statement = 0", "takes the parameters of statements", "set log_parameter_max_length = 0"),
        ("log_min_duration_sample = 9", "takes the parameters of statements", "set log_parameter_max_length = 0"),
        ("log_transaction_sample_rate = 0.1", "takes the parameters of", "set log_parameter_max_length = 0"),
        (
            "log_parameter_max_length_on_error = 9",
            "takes the parameters of statements that fail",
            "set log_parameter_max_length_on_error = 0",
        ),
    ],
)
def test_a_log_that_takes_text_is_said_and_is_no_fault(
    filled: Database, plant: Plant, setting: str, what: str, how: str
) -> None:
    for quiet in _QUIET:
        plant(f"ALTER DATABASE <database> SET {quiet}")
    plant(f"ALTER DATABASE <database> SET {setting}")
    diagnosis = diagnose(filled)
    assert told(diagnosis) == []
    (found,) = [finding for check in diagnosis.checks if check.check == "log" for finding in check.findings]
    assert what in found.what
    assert found.fix.endswith(how)


def test_a_log_that_takes_no_text_is_passed_over(filled: Database, plant: Plant) -> None:
    for quiet in _QUIET:
        plant(f"ALTER DATABASE <database> SET {quiet}")
    assert [check.findings for check in diagnose(filled).checks if check.check == "log"] == [()]


def test_examining_changes_nothing(filled: Database) -> None:
    def counts() -> object:
        with psycopg.connect(filled.superuser_url) as connection:
            query = " UNION ALL ".join(f"SELECT count(*) FROM pg_{kind}" for kind in ("class", "proc", "policy"))
            return connection.execute(query).fetchall()

    diagnose(filled)  # the temporary schema of a session is made once
    before = counts()
    diagnose(filled)
    assert counts() == before


@pytest.mark.parametrize(
    ("key", "what"),
    [
        (None, "there is no key to sign grants with"),
        ("nonsense", "the grant key is not of the form"),
        (GrantKey(b"\x07" * 32).text, "is refused"),
    ],
    ids=["absent", "malformed", "another"],
)
def test_wrong_grant_key_is_named(filled: Database, key: str | None, what: str) -> None:
    found = told(diagnose(filled, {"grant_key": key}))
    assert [check for check, *_ in found] == ["grant"]
    assert what in found[0][2]
    assert key is None or key not in found[0][2]
