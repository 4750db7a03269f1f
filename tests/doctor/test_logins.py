"""Logins that hold too much or too little, and what is said when some are not at hand."""

from collections.abc import Mapping
from typing import Any

import psycopg
import pytest
from psycopg import sql

from ragspine_pg.doctor import Installation, Level, examine
from ragspine_pg.doctor.checks.server import judge
from tests.doctor.conftest import config_of, diagnose, examined, lent, told
from tests.fixtures.database import Database


@pytest.mark.parametrize(
    ("fault", "check", "level", "what"),
    [
        ("ALTER ROLE reader SUPERUSER", "members", "error", "role reader, a member of ragspine_reader, is a superuser"),
        (
            "ALTER ROLE ingest BYPASSRLS",
            "members",
            "error",
            "role ingest, a member of ragspine_ingest, is allowed to bypass",
        ),
        ("GRANT ragspine_ingest TO reader", "members", "error", "role reader is a member of both groups"),
        (
            "CREATE ROLE between; GRANT ragspine_ingest TO between; GRANT between TO reader",
            "members",
            "error",
            "role reader is a member of both groups",
        ),
        (
            "GRANT ragspine_ingest TO ragspine_reader",
            "members",
            "error",
            "the group role ragspine_reader is a member of ragspine_ingest",
        ),
        ("GRANT ragspine_reader TO owner", "members", "error", "role owner, a member of ragspine_reader, owns schema"),
        (
            "ALTER ROLE ragspine_reader RENAME TO gone",
            "groups",
            "error",
            "the group role ragspine_reader does not exist",
        ),
        ("ALTER ROLE ragspine_ingest LOGIN", "groups", "warning", "the group role ragspine_ingest can log in itself"),
        ("GRANT ragspine_gate TO reader", "members", "error", "role reader is a member of ragspine_gate"),
        (
            "CREATE ROLE between; GRANT ragspine_gate TO between; GRANT between TO ingest",
            "members",
            "error",
            "role ingest is a member of ragspine_gate",
        ),
        (  # as the owner of another database is
            "CREATE ROLE idle; GRANT ragspine_gate TO idle",
            "members",
            "warning",
            "role idle is a member of ragspine_gate and may connect here",
        ),
        (
            "CREATE ROLE boss SUPERUSER; GRANT boss TO reader",
            "members",
            "error",
            "role reader, a member of ragspine_reader, can become boss",
        ),
        (
            "CREATE ROLE boss BYPASSRLS; CREATE ROLE mid; GRANT boss TO mid; GRANT mid TO ingest WITH INHERIT FALSE",
            "members",
            "error",
            "role ingest, a member of ragspine_ingest, can become boss",
        ),
        (
            "CREATE ROLE boss BYPASSRLS; GRANT boss TO ragspine_reader",
            "members",
            "error",
            "the group role ragspine_reader is a member of boss",
        ),
        (
            "REASSIGN OWNED BY ragspine_gate TO owner; ALTER ROLE ragspine_gate RENAME TO gone",
            "gate",
            "warning",
            "the role ragspine_gate does not exist: row-level security does not stand behind the functions",
        ),
        (
            "ALTER ROLE reader REPLICATION",
            "members",
            "error",
            "role reader, a member of ragspine_reader, may replicate",
        ),
        (
            "GRANT ragspine_ingest TO ingest WITH ADMIN OPTION",
            "members",
            "warning",
            "role ingest may make others members of ragspine_ingest",
        ),
        ("ALTER ROLE ragspine_gate LOGIN", "gate", "error", "the role ragspine_gate can log in"),
        ("ALTER ROLE ragspine_gate BYPASSRLS", "gate", "error", "policies do not bind it"),
        ("ALTER ROLE ragspine_gate SUPERUSER", "gate", "error", "policies do not bind it"),
        ("GRANT ragspine_ingest TO ragspine_gate", "gate", "error", "ragspine_gate is a member of ragspine_ingest"),
        (
            "REVOKE ragspine_gate FROM owner; GRANT owner TO ragspine_gate",
            "gate",
            "error",
            "the role ragspine_gate is a member of owner",
        ),
        (
            "REVOKE ragspine_gate FROM owner",
            "gate",
            "error",
            "owner is no member of ragspine_gate",
        ),
        (
            "REASSIGN OWNED BY ragspine_gate TO owner; REVOKE ragspine_gate FROM owner",
            "gate",
            "warning",
            "are not ragspine_gate's but owner's",
        ),
    ],
)
def test_role_that_holds_too_much_is_named(
    shared: Database, setup: psycopg.Connection[Any], fault: str, check: str, level: Level, what: str
) -> None:
    clean = examined(shared, setup)
    assert [item[0] for item in clean] == ["logins"]  # the connection is a superuser's
    setup.execute(fault)
    found = [item for item in examined(shared, setup) if item not in clean]
    assert [item for item in found if item[:2] == (check, level) and what in item[2]], found


def test_a_member_that_is_none_of_the_logins_at_hand_is_said_and_is_no_fault(
    shared: Database, setup: psycopg.Connection[Any]
) -> None:
    setup.execute(
        "CREATE ROLE other LOGIN; CREATE ROLE between; GRANT ragspine_ingest TO between; GRANT between TO other"
    )
    installation = lent(shared, setup, "owner")
    installation.users.update({"reader": "reader", "ingest": "ingest"})
    diagnosis = examine(installation, audit=False)
    said = [finding for check in diagnosis.checks if check.check == "members" for finding in check.findings]
    assert [(finding.level, finding.what) for finding in said] == [
        ("ok", "role other, none of the logins at hand, is a member of ragspine_ingest")
    ]
    assert 'REVOKE ragspine_ingest FROM "other"' in said[0].fix


@pytest.mark.parametrize("name", ["user", "select", "Mixed", 'with "quotes"'])
def test_advice_about_a_role_runs_whatever_its_name(
    shared: Database, setup: psycopg.Connection[Any], name: str
) -> None:
    clean = examined(shared, setup)
    role = sql.Identifier(name)
    setup.execute(sql.SQL("CREATE ROLE {}; GRANT SELECT ON ragspine.chunk TO {}").format(role, role))
    for where in ("", "IN SCHEMA ragspine "):
        given = sql.SQL("ALTER DEFAULT PRIVILEGES FOR ROLE owner " + where + "GRANT SELECT ON TABLES TO {}")
        setup.execute(given.format(role))
    findings = examine(lent(shared, setup, "owner"), audit=False).findings("warning", "error")
    advice = [finding.fix.removeprefix("as who has set it: ") for finding in findings if "REVOKE SELECT" in finding.fix]
    assert len(advice) == 3, findings
    setup.execute("SET LOCAL ROLE owner")
    for statement in advice:
        setup.execute(statement)  # type: ignore[call-overload]
    setup.execute("RESET ROLE")
    assert examined(shared, setup) == clean


@pytest.mark.parametrize("attribute", ["CREATEROLE", "CREATEDB"])
def test_reader_that_makes_roles_or_databases_is_named(
    shared: Database, setup: psycopg.Connection[Any], attribute: str
) -> None:
    setup.execute(f"ALTER ROLE reader {attribute}")
    setup.execute("SET LOCAL SESSION AUTHORIZATION reader")
    found = examined(shared, setup, "reader")
    what = f"has {attribute}: it makes roles or databases, which no search needs"
    assert [item for item in found if item[:2] == ("powers", "warning") and item[2].endswith(what)], found


def test_who_can_become_the_owner_may_be_a_member_of_the_gate(shared: Database, setup: psycopg.Connection[Any]) -> None:
    clean = examined(shared, setup)
    setup.execute("CREATE ROLE deploy LOGIN; GRANT owner TO deploy")
    assert examined(shared, setup) == clean


def test_owner_of_another_database_that_cannot_connect_here_may_be_a_member_of_the_gate(
    shared: Database, setup: psycopg.Connection[Any]
) -> None:
    clean = examined(shared, setup)
    setup.execute("CREATE ROLE neighbour LOGIN; GRANT ragspine_gate TO neighbour")
    (told_here,) = [item for item in examined(shared, setup) if item not in clean]
    assert told_here[:2] == ("members", "warning")
    setup.execute(f"REVOKE CONNECT ON DATABASE {shared.name} FROM PUBLIC")
    assert examined(shared, setup) == clean


@pytest.mark.parametrize("login", ["reader", "ingest"])
@pytest.mark.parametrize("attribute", ["SUPERUSER", "BYPASSRLS"])
def test_login_that_can_become_another_whom_nothing_binds_is_named(
    shared: Database, setup: psycopg.Connection[Any], login: str, attribute: str
) -> None:
    setup.execute(f"CREATE ROLE boss {attribute}; CREATE ROLE mid; GRANT boss TO mid")
    setup.execute(f"SET LOCAL SESSION AUTHORIZATION {login}")
    clean = examined(shared, setup, login)
    setup.execute("RESET SESSION AUTHORIZATION")
    setup.execute(f"GRANT mid TO {login}")
    setup.execute(f"SET LOCAL SESSION AUTHORIZATION {login}")
    found = [item for item in examined(shared, setup, login) if item not in clean]
    what = f"the {login} login, role {login}, can become boss, whom row-level security does not bind"
    assert ("logins", "error", what) in found, found


@pytest.mark.parametrize("power", ["pg_monitor", "pg_read_all_stats", "pg_read_server_files", "pg_signal_backend"])
def test_reader_with_a_power_of_the_servers_own_is_named(
    shared: Database, setup: psycopg.Connection[Any], power: str
) -> None:
    setup.execute("SET LOCAL SESSION AUTHORIZATION reader")
    clean = examined(shared, setup, "reader")
    setup.execute("RESET SESSION AUTHORIZATION")
    setup.execute(f"CREATE ROLE watch; GRANT {power} TO watch; GRANT watch TO ragspine_reader")
    setup.execute("SET LOCAL SESSION AUTHORIZATION reader")
    found = [item for item in examined(shared, setup, "reader") if item not in clean]
    what = f"is a member of {power}: it reads, watches or does more than a search needs"
    assert [item for item in found if item[:2] == ("powers", "warning") and item[2].endswith(what)], found


@pytest.mark.parametrize(
    ("changes", "check", "level", "what"),
    [
        ({"database_url": "superuser"}, "logins", "error", "the reader login, role postgres, is a superuser"),
        ({"database_url": "superuser"}, "backstop", "error", "row-level security does not bind role postgres"),
        ({"database_url": "owner"}, "logins", "error", "the reader login, role owner, owns schema ragspine"),
        ({"database_url": "owner"}, "backstop", "error", "row-level security does not bind role owner"),
        (
            {"database_url": "ingest"},
            "logins",
            "error",
            "role ingest, is no member of ragspine_reader but of ragspine_ingest: RAGSPINE_DATABASE_URL holds the URL",
        ),
        ({"ingest_url": "reader"}, "logins", "error", "but of ragspine_reader: RAGSPINE_INGEST_URL holds the URL of"),
        ({"ingest_url": "superuser"}, "logins", "error", "the ingest login, role postgres, is a superuser"),
        ({"owner_url": "superuser"}, "logins", "warning", "the owner login, role postgres, is a superuser"),
        ({"owner_url": "reader"}, "logins", "error", "role reader, does not own schema ragspine"),
    ],
)
def test_login_of_another_authority_is_named(
    shared: Database, changes: Mapping[str, str], check: str, level: Level, what: str
) -> None:
    urls = {setting: getattr(shared, f"{login}_url") for setting, login in changes.items()}
    found = told(diagnose(shared, urls))
    assert [item for item in found if item[:2] == (check, level) and what in item[2]], found


@pytest.mark.parametrize("setting", ["database_url", "ingest_url", "owner_url"])
def test_login_that_cannot_connect_is_named_and_the_rest_is_checked(shared: Database, setting: str) -> None:
    url = "postgresql://nobody:s3cret@127.0.0.1:1/none"
    diagnosis = diagnose(shared, {setting: url})
    found = told(diagnosis)
    assert [item[0] for item in found if item[1] == "error"] == ["connections"]
    assert "cannot connect" in found[0][2]
    assert "s3cret" not in diagnosis.to_json()
    checked = {check.check for check in diagnosis.checks if not check.unchecked}
    assert {"rights", "policies", "server"} <= checked


def test_reader_alone_checks_what_it_can_and_names_the_rest(shared: Database) -> None:
    diagnosis = diagnose(shared, {"ingest_url": None, "owner_url": None})
    assert [item[:2] for item in told(diagnosis)] == [
        ("tables", "warning"),
        ("policy_texts", "warning"),
        ("functions", "warning"),
    ], "what was not compared is no clean bill"
    unchecked = {check.check: check.unchecked for check in diagnosis.checks if check.unchecked}
    assert set(unchecked) == {
        "folder",
        "connections",
        "logins",
        "policy_texts",
        "functions",
        "tables",
        "grant_keys",
        "environments",
        "statistics",
        "libraries",
    }
    assert unchecked["libraries"] == "needs the ingest or owner login"
    assert "no ingest login is named (RAGSPINE_INGEST_URL)" in unchecked["connections"]


def test_single_login_says_that_the_backstop_is_off(shared: Database) -> None:
    settings = {"database_url": shared.owner_url, "ingest_url": None, "owner_url": None}
    diagnosis = diagnose(shared, settings, single_login=True)
    assert diagnosis.ok
    found = told(diagnosis)
    assert {item[:2] for item in found} == {("connections", "warning"), ("backstop", "warning")}
    assert "backstop is off" in found[0][2]
    assert not diagnose(shared, settings).ok


@pytest.mark.parametrize(("ahead", "word"), [(60.0, "behind"), (-60.0, "ahead of"), (4.0, ""), (-4.0, "")])
def test_clocks_that_differ_are_named(shared: Database, ahead: float, word: str) -> None:
    with Installation.open(config_of(shared)) as installation:
        clock = installation.clock
        installation.clock = lambda: clock() + ahead
        found = [item for item in told(examine(installation, audit=False)) if item[0] == "clock"]
    assert [item[1] for item in found] == (["warning"] if word else [])
    assert all(f"60 s {word}" in item[2] for item in found)


@pytest.mark.parametrize(
    ("facts", "what"),
    [
        ((150_004, "15.4", "0.8.0", "public"), "the server is PostgreSQL 15.4"),
        ((160_004, "16.4", "0.7.4", "public"), "extension vector is at version 0.7.4"),
        ((160_004, "16.4", None, None), "extension vector is not installed in this database"),
        ((160_004, "16.4", "0.10.1", "extensions"), ""),
        ((190_001, "19.1", "1.0", "public"), ""),
    ],
)
def test_old_server_or_pgvector_is_named(facts: tuple[int, str, str | None, str | None], what: str) -> None:
    found = [finding.what for finding in judge(*facts) if finding.level == "error"]
    assert found == ([what] if what else [])
