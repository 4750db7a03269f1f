"""A pool that hands sessions on with what was set in them is found, by a real one."""

from collections.abc import Iterator

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.doctor import CheckResult, Installation
from ragspine_pg.doctor.checks import connections, handover
from tests.doctor.conftest import config_of
from tests.fixtures.database import Database, clone
from tests.fixtures.pooler import SERVER_CONNECTIONS, passable_folder, pooling


@pytest.fixture
def behind(server: EmbeddedServer, template: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database behind a pooler with the settings of the test's parameter."""
    with (
        passable_folder() as folder,
        pooling(server, folder, request.param) as running,
        clone(server, template, running) as made,
    ):
        yield made


def checked(database: Database, **changes: str | None) -> CheckResult:
    with Installation.open(config_of(database, owner_url=None, **changes)) as installation:
        assert connections.connect(installation).state != "error"
        return handover.handover(installation)


_RESET = {"server_reset_query": "DISCARD ALL"}
_SESSIONS = {"pool_mode": "session", "server_reset_query": ""}
_ALWAYS = {**_RESET, "server_reset_query_always": "1"}


@pytest.mark.parametrize("behind", [_SESSIONS], indirect=True)
def test_sessions_that_are_handed_on_as_they_are_are_found(behind: Database) -> None:
    found = checked(behind)
    assert (found.state, found.unchecked) == ("warning", "")
    assert [finding.what.partition(",")[0] for finding in found.findings] == [
        "the reader login goes through a pool that does not reset sessions",
        "the ingest login goes through a pool that does not reset sessions",
    ]
    assert all("DISCARD ALL" in finding.fix for finding in found.findings)


@pytest.mark.parametrize("behind", [_RESET], indirect=True)
def test_a_pool_that_shares_sessions_by_transactions_is_told_apart(behind: Database) -> None:
    found = checked(behind)
    assert found.state == "ok"
    assert all("shares sessions by transactions" in finding.what for finding in found.findings)
    assert all("server_reset_query_always = 1" in finding.fix for finding in found.findings)
    assert len(found.findings) == 2


@pytest.mark.parametrize("behind", [{**_SESSIONS, **_RESET}, _ALWAYS], indirect=True)
def test_a_pool_that_resets_is_fine(behind: Database) -> None:
    found = checked(behind)
    assert [finding.what.partition(" login ")[2] for finding in found.findings] == [
        "found nothing of another session in its own"
    ] * 2


@pytest.mark.parametrize("behind", [_SESSIONS], indirect=True)
def test_what_was_left_is_taken_away(behind: Database) -> None:
    checked(behind)
    for url in (behind.reader_url, behind.ingest_url):
        held = [psycopg.connect(url) for _ in range(SERVER_CONNECTIONS)]
        try:
            left = [c.execute("SELECT current_setting('ragspine.probe', true)").fetchall()[0][0] for c in held]
        finally:
            for connection in held:
                connection.close()
        assert set(left) <= {None, ""}


def test_without_a_pool_nothing_is_handed_on(fresh_database: Database) -> None:
    assert {finding.what.partition(" login ")[2] for finding in checked(fresh_database).findings} <= {
        "found nothing of another session in its own"
    }


@pytest.mark.parametrize("behind", [{**_SESSIONS, "default_pool_size": "1"}], indirect=True)
def test_a_login_without_room_for_another_connection_is_said_to_be_unchecked(
    behind: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handover, "_WAIT_SECONDS", 0.5)
    found = checked(behind, ingest_url=None)
    assert found.state == "unchecked"
    assert "the reader login cannot open two connections more" in found.unchecked
