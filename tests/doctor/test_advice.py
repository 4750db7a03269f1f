"""What the doctor says to do, done: nothing is found any more."""

import pytest

from ragspine_pg.doctor import Diagnosis
from ragspine_pg.errors import SchemaMismatch
from ragspine_pg.schema.migrate import migrate
from tests.doctor.conftest import Plant, diagnose, told
from tests.fixtures.database import Database


def test_what_the_doctor_advises_mends_policies_and_rights(filled: Database, plant: Plant) -> None:
    plant("GRANT SELECT ON ALL TABLES IN SCHEMA ragspine TO PUBLIC; REVOKE ALL ON ragspine.chunk FROM ragspine_gate")
    plant("ALTER FUNCTION ragspine.read_passages_v1 OWNER TO owner")
    plant("DROP POLICY readable ON ragspine.chunk; COMMENT ON POLICY bounded ON ragspine.document IS 'other'")
    sick = diagnose(filled)
    assert {check for check, *_ in told(sick)} >= {"rights", "policies", "gate", "backstop"}
    migrate(filled.owner_url)
    assert told(diagnose(filled)) == []


def test_what_the_doctor_advises_makes_a_schema_of_another_build_ours(filled: Database, plant: Plant) -> None:
    plant("COMMENT ON TABLE ragspine.alembic_version IS NULL")
    plant("ALTER TABLE ragspine.library ALTER description DROP NOT NULL")
    plant("ALTER FUNCTION ragspine.granted_v1 COST 5")
    with pytest.raises(SchemaMismatch):
        migrate(filled.owner_url)
    sick = diagnose(filled)
    assert [(check, what.split(" is ")[0].split("(")[0]) for check, _, what in told(sick)][1:] == [
        ("tables", "column library.description"),
        ("functions", "function granted_v1"),
    ]
    plant("ALTER TABLE ragspine.library ALTER description SET NOT NULL; ALTER FUNCTION ragspine.granted_v1 COST 100")
    plant(told_fix(diagnose(filled), "build").rpartition(": ")[2])
    assert told(diagnose(filled)) == []
    migrate(filled.owner_url)


def told_fix(diagnosis: Diagnosis, name: str) -> str:
    (found,) = [finding for check in diagnosis.checks if check.check == name for finding in check.findings]
    return found.fix


def test_what_the_doctor_advises_closes_the_counters_and_gives_a_function_back(filled: Database, plant: Plant) -> None:
    plant(
        "GRANT EXECUTE ON FUNCTION pg_stat_get_xact_numscans(oid), pg_stat_get_numscans(oid) TO PUBLIC;"
        " ALTER FUNCTION ragspine.read_passages_v1 OWNER TO postgres"
    )
    advice = [finding.fix for finding in diagnose(filled).findings("warning", "error")]
    statements = [fix.rpartition(": ")[2] for fix in advice if fix.startswith("as a superuser")]
    assert len(statements) == 2
    for statement in statements:
        plant(statement)
    assert told(diagnose(filled)) == []
