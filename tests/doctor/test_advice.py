"""What the doctor says to do, done: nothing is found any more."""

from pathlib import Path

import pytest

from ragspine_pg.doctor import Diagnosis
from ragspine_pg.errors import SchemaMismatch
from ragspine_pg.schema.migrate import migrate
from tests.doctor.conftest import Plant, diagnose, told
from tests.fixtures.database import Database
from tests.schema.script import psql

DOCKER = Path(__file__).parents[2] / "docker"


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
    (statement,) = [fix.rpartition(": ")[2] for fix in advice if fix.startswith("as a superuser")]
    plant(statement)
    (script,) = [fix for fix in advice if fix.startswith("run docker/harden.sql")]
    assert len(script) < 120, "one short line, however many functions are open"
    harden = psql(filled.superuser_url, (DOCKER / "harden.sql").read_text(encoding="utf-8"), {})
    assert (harden.returncode, harden.stderr) == (0, "")
    assert told(diagnose(filled)) == []


def test_a_right_on_all_tables_is_one_error_and_its_advice_takes_it_back(filled: Database, plant: Plant) -> None:
    plant("GRANT SELECT, DELETE ON ALL TABLES IN SCHEMA ragspine TO pg_monitor")
    (found,) = diagnose(filled).findings("warning", "error")
    assert found.level == "error"
    assert found.fix == 'REVOKE DELETE, SELECT ON ALL TABLES IN SCHEMA ragspine FROM "pg_monitor"'
    plant(found.fix)
    assert told(diagnose(filled)) == []


_COMPARISONS = {"tables", "policy_texts", "functions"}


@pytest.mark.parametrize("changes", [{}, {"ingest_url": None}], ids=["all", "owner alone"])
def test_a_login_that_may_make_no_temporary_tables_hides_no_changed_policy(
    filled: Database, plant: Plant, changes: dict[str, str | None]
) -> None:
    plant("REVOKE TEMPORARY ON DATABASE <database> FROM PUBLIC, owner, ingest, ragspine_ingest")
    plant("ALTER POLICY readable ON ragspine.document USING (true)")
    blind = diagnose(filled, changes)
    refused = [found for check in blind.checks if check.check in _COMPARISONS for found in check.findings]
    assert {check.check for check in blind.checks if check.unchecked} >= _COMPARISONS
    assert not blind.ok
    assert all(found.level == "error" and "lacks TEMPORARY on this database" in found.what for found in refused)
    (advice,) = {found.fix for found in refused if "owner login" in found.what}
    plant(advice.rpartition(": ")[2].replace("<this one>", "<database>"))
    seeing = diagnose(filled, changes)
    assert [item[0] for item in told(seeing) if item[0] in _COMPARISONS] == ["policy_texts"]


def test_after_hardening_a_changed_policy_is_found(filled: Database, plant: Plant) -> None:
    plant("REVOKE TEMPORARY ON DATABASE <database> FROM PUBLIC, owner, ingest")
    harden = psql(filled.superuser_url, (DOCKER / "harden.sql").read_text(encoding="utf-8"), {})
    assert (harden.returncode, harden.stderr) == (0, "")
    plant("ALTER POLICY readable ON ragspine.document USING (true)")
    for changes in ({}, {"ingest_url": None}):
        found = diagnose(filled, changes)
        assert [item[0] for item in told(found)] == ["policy_texts"], told(found)


def test_swapped_logins_are_not_made_members_of_both_groups(filled: Database) -> None:
    diagnosis = diagnose(filled, {"ingest_url": filled.reader_url})
    advice = [finding.fix for check in diagnosis.checks if check.check == "logins" for finding in check.findings]
    assert any(fix.startswith("set RAGSPINE_INGEST_URL to ") for fix in advice), advice
    assert not any(fix.startswith("GRANT ragspine_") for fix in advice), advice
