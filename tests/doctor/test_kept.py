"""Settings that are kept in the database and with which sessions begin."""

from typing import Any

import psycopg
import pytest

from ragspine_pg.doctor import Finding, examine
from tests.doctor.conftest import lent
from tests.fixtures.database import Database


@pytest.mark.parametrize("whose", ["ROLE reader", "ROLE ingest IN DATABASE {}", "ROLE ALL", "DATABASE {}"])
@pytest.mark.parametrize("setting", ["row_security = off", "ragspine.\"grant\" = 'rg1'"])
def test_a_setting_that_is_kept_and_harms_is_named_and_its_advice_takes_it_away(
    shared: Database, setup: psycopg.Connection[Any], whose: str, setting: str
) -> None:
    def found() -> list[Finding]:
        installation = lent(shared, setup, "owner")
        installation.users.update({"reader": "reader", "ingest": "ingest"})
        checks = examine(installation, audit=False).checks
        return [finding for check in checks if check.check == "kept" for finding in check.findings]

    assert found() == []
    setup.execute(f"ALTER {whose.format(shared.name)} SET {setting}")  # type: ignore[call-overload]
    setup.execute("ALTER ROLE reader SET statement_timeout = '5s'; ALTER DATABASE postgres SET row_security = off")
    harm, *rest = found()
    assert (harm.level, setting.partition(" ")[0].replace('"', "") in harm.what) == ("error", True)
    assert [(finding.level, "statement_timeout" in finding.what) for finding in rest] == [("ok", True)]
    for finding in (harm, *rest):
        setup.execute(finding.fix.removeprefix("if it is none of yours: "))  # type: ignore[call-overload]
    assert found() == []
