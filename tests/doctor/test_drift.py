"""Rights that drift from the table of rights are named, whoever has or lacks them, with what to do."""

import pytest

from tests.doctor.conftest import Plant, diagnose, fixes, told
from tests.fixtures.database import Database


@pytest.mark.parametrize(
    ("fault", "check", "level", "what"),
    [
        ("GRANT SELECT ON ragspine.chunk TO PUBLIC", "rights", "error", "PUBLIC has SELECT on table chunk"),
        (
            "GRANT SELECT (lexeme) ON ragspine.lexeme TO ragspine_reader",
            "rights",
            "error",
            "ragspine_reader has SELECT on column lexeme.lexeme",
        ),
        (
            "GRANT EXECUTE ON FUNCTION ragspine.environment_v1() TO PUBLIC",
            "rights",
            "error",
            "PUBLIC has EXECUTE on function environment_v1",
        ),
        ("GRANT USAGE ON SEQUENCE ragspine.batch TO ragspine_reader", "rights", "error", "USAGE on sequence batch"),
        ("GRANT CREATE ON SCHEMA ragspine TO ragspine_ingest", "rights", "error", "CREATE on schema ragspine"),
        (
            "REVOKE SELECT ON ragspine.chunk FROM ragspine_gate",
            "rights",
            "error",
            "ragspine_gate lacks SELECT on table chunk",
        ),
        (
            "REVOKE EXECUTE ON FUNCTION ragspine.find_document_v1 FROM ragspine_gate",
            "rights",
            "error",
            "ragspine_gate lacks EXECUTE on function find_document_v1",
        ),
        (
            "GRANT SELECT ON ragspine.chunk TO ragspine_ingest WITH GRANT OPTION",
            "rights",
            "error",
            "ragspine_ingest may hand on SELECT on table chunk",
        ),
        (
            "GRANT SELECT ON ragspine.chunk TO ragspine_reader",
            "rights",
            "error",
            "ragspine_reader has SELECT on table chunk",
        ),
        (
            "GRANT SELECT ON ragspine.chunk TO ragspine_reader",
            "backstop",
            "error",
            "role reader has rights on chunk: the plans",
        ),
        ("GRANT INSERT (text) ON ragspine.chunk TO reader", "backstop", "error", "role reader has rights on chunk"),
        ("GRANT DELETE ON ragspine.lexeme TO PUBLIC", "backstop", "error", "role reader has rights on lexeme"),
        ("GRANT SELECT ON ragspine.chunk TO reader", "rights", "error", "reader has SELECT on table chunk"),
        ("GRANT SELECT ON ragspine.chunk TO pg_monitor", "rights", "error", "pg_monitor has SELECT on table chunk"),
        (
            "ALTER DEFAULT PRIVILEGES IN SCHEMA ragspine GRANT SELECT ON TABLES TO PUBLIC",
            "rights",
            "warning",
            "new tables in schema ragspine will give SELECT to PUBLIC",
        ),
        (
            "ALTER DEFAULT PRIVILEGES FOR ROLE owner GRANT INSERT ON TABLES TO ragspine_reader",
            "rights",
            "warning",
            "new tables of the owner will give INSERT to ragspine_reader",
        ),
        (
            "ALTER DEFAULT PRIVILEGES FOR ROLE owner GRANT EXECUTE ON FUNCTIONS TO reader",
            "rights",
            "warning",
            "new functions of the owner will give EXECUTE to reader",
        ),
        ("GRANT USAGE ON TYPE ragspine.chunk TO PUBLIC", "rights", "error", "PUBLIC has USAGE on type chunk"),
        ("CREATE DOMAIN ragspine.stray AS int", "rights", "error", "PUBLIC has USAGE on type stray"),
        (
            "ALTER TABLE ragspine.lexeme OWNER TO postgres",
            "objects",
            "error",
            "table lexeme: its owner is not the owner",
        ),
        ("ALTER SEQUENCE ragspine.batch OWNER TO postgres", "objects", "error", "sequence batch: its owner is not"),
    ],
    ids=lambda value: value[:70] if " " in value else "",
)
def test_drift_of_rights_is_named(
    filled: Database, plant: Plant, fault: str, check: str, level: str, what: str
) -> None:
    plant(fault)
    diagnosis = diagnose(filled)
    found = told(diagnosis)
    assert [item for item in found if item[:2] == (check, level) and what in item[2]], found
    assert fixes(diagnosis) == []
    if level == "error":
        assert not diagnosis.ok


@pytest.mark.parametrize("kind", ["EXECUTE ON FUNCTIONS", "USAGE ON TYPES"])
def test_rights_are_compared_where_the_owner_gives_nobody_what_everybody_has_by_default(
    filled: Database, plant: Plant, kind: str
) -> None:
    plant(f"ALTER DEFAULT PRIVILEGES FOR ROLE owner REVOKE {kind} FROM PUBLIC")
    assert told(diagnose(filled)) == []
    plant("GRANT SELECT ON ragspine.chunk TO pg_monitor")
    assert ["pg_monitor has SELECT on table chunk" in what for _, _, what in told(diagnose(filled))] == [True]


def test_row_security_that_is_forced_beside_the_owners_policy_is_said_and_is_no_fault(
    filled: Database, plant: Plant
) -> None:
    plant(
        "CREATE POLICY all_rows ON ragspine.chunk TO owner USING (true);"
        " ALTER TABLE ragspine.chunk FORCE ROW LEVEL SECURITY"
    )
    diagnosis = diagnose(filled)
    assert told(diagnosis) == []
    (found,) = [finding for check in diagnosis.checks if check.check == "row_security" for finding in check.findings]
    assert found.what.startswith("row-level security is forced on the owner of chunk, whom a policy shows every row")
    assert "--enable-row-security" in found.fix
