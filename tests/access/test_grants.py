"""A grant is the only identity: signed, bounded in time, and of one tenant."""

import base64
import json
import time

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, RagSpine
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.errors import ConfigurationError, GrantInvalid, RagSpineError
from tests.access import world
from tests.access.grants import grant_of, granted, state_of
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def signed(database: Database, payload: bytes, *, expiry: str | None = None, prefix: str = "rg1") -> str:
    """A grant over any payload, with the right key."""
    import hashlib
    import hmac

    key = GrantKey.parse(database.grant_key)
    encoded = base64.urlsafe_b64encode(payload).decode().rstrip("=")
    body = f"{prefix}.{key.key_id}.{expiry or int(time.time()) + 60}.{encoded}"
    return f"{body}.{hmac.new(key.key, body.encode(), hashlib.sha256).hexdigest()}"


def test_a_grant_of_ours_verifies(database: Database) -> None:
    assert state_of(database, grant_of(database, world.STAFF)) == "valid"


def test_python_and_sql_agree_on_the_form(database: Database) -> None:
    payload = json.dumps({"principals": ["a"], "tenant": "t"}, separators=(",", ":")).encode()
    assert state_of(database, signed(database, payload)) == "valid"


def assert_refused(database: Database) -> None:
    """The core: every way a grant can be wrong, each with its reason."""
    key = GrantKey.parse(database.grant_key)
    good = mint_grant(key, world.STAFF)
    head, _, signature = good.rpartition(".")
    parts = good.split(".")
    other_tenant = mint_grant(key, Access("globex", {"user:ann"})).split(".")
    wrong = {
        "": "missing",
        "x": "malformed",
        good + ".": "malformed",
        head: "malformed",
        good.replace("rg1", "rg2", 1): "malformed",
        mint_grant(GrantKey.new(), world.STAFF): "unknown key",
        good[:-1] + ("0" if good[-1] != "0" else "1"): "forged",
        f"{head}.{signature[:-1]}": "forged",
        f"{head}.{signature.upper()}": "forged",
        f"{head}.": "forged",
        ".".join([*parts[:2], str(int(parts[2]) + 1), *parts[3:]]): "forged",
        ".".join([*parts[:3], other_tenant[3], parts[4]]): "forged",
        mint_grant(key, world.STAFF, now=time.time() - 3600): "expired",
        mint_grant(key, world.STAFF, seconds=1, now=time.time() - 2): "expired",
    }
    assert {grant: state_of(database, grant) for grant in wrong} == wrong


def test_every_wrong_grant_is_refused_with_its_reason(database: Database) -> None:
    assert_refused(database)


def test_verification_has_teeth(fresh_database: Database, plant: Plant) -> None:
    assert_refused(fresh_database)
    plant("granted_v1", ("IF sha256(nonce || convert_to(expected, 'UTF8')) <>", "IF false AND sha256(nonce) <>"))
    with pytest.raises(AssertionError):
        assert_refused(fresh_database)


def test_expiry_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("granted_v1", ("< statement_timestamp()", "< '2001-01-01'"))
    with pytest.raises(AssertionError):
        assert_refused(fresh_database)


def test_a_grant_runs_out_inside_a_transaction(database: Database) -> None:
    with psycopg.connect(database.reader_url) as connection:
        grant = grant_of(database, world.STAFF, seconds=1)
        connection.execute("SELECT ragspine.assume(%s)", [grant])
        time.sleep(2.1)
        assert connection.execute("SELECT state FROM ragspine.granted_v1()").fetchone() == ("expired",)


def test_a_grant_ends_with_its_transaction(database: Database) -> None:
    with psycopg.connect(database.reader_url) as connection:
        with connection.transaction():
            grant = grant_of(database, world.STAFF)
            connection.execute("SELECT ragspine.assume(%s)", [grant])
        assert connection.execute("SELECT state FROM ragspine.granted_v1()").fetchone() == ("missing",)


def test_a_refused_grant_takes_the_former_one_away(database: Database) -> None:
    with psycopg.connect(database.reader_url) as connection:
        grant = grant_of(database, world.STAFF)
        connection.execute("SELECT ragspine.assume(%s)", [grant])
        with pytest.raises(psycopg.Error) as caught, connection.transaction():
            connection.execute("SELECT ragspine.assume('rg1.x')")
        assert caught.value.sqlstate == "RS008"
        assert grant not in str(caught.value)


@settings(deadline=None)  # a busy machine is no fault
@given(tenant=NAMES, principals=st.sets(NAMES, max_size=5))
def test_any_name_survives_the_way_into_the_database(database: Database, tenant: str, principals: set[str]) -> None:
    state, found = granted(database, grant_of(database, Access(tenant, principals)))
    assert (state, set(found or ())) == ("valid", principals)


def test_a_retired_key_signs_nothing(fresh_database: Database) -> None:
    grant = grant_of(fresh_database, world.STAFF)
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("UPDATE ragspine.grant_key SET retired_at = now()")
    assert state_of(fresh_database, grant) == "unknown key"


def test_no_reader_sees_the_keys(database: Database) -> None:
    for url in (database.reader_url, database.ingest_url):
        with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM ragspine.grant_key")


def test_without_a_key_a_search_says_what_to_set(database: Database) -> None:
    with (
        RagSpine.open(database.reader_url) as spine,
        pytest.raises(ConfigurationError, match="RAGSPINE_GRANT_KEY"),
    ):
        spine.search("x", access=world.STAFF)


def test_another_installations_key_is_told_apart(database: Database) -> None:
    with (
        RagSpine.open(database.reader_url, grant_key=GrantKey.new().text) as spine,
        pytest.raises(GrantInvalid, match="unknown key") as caught,
    ):
        spine.search("x", access=world.STAFF)
    assert isinstance(caught.value, RagSpineError)
    assert caught.value.code == "grant_invalid"


def test_access_is_checked_at_the_door() -> None:
    for tenant, principals in [
        ("", {"a"}),
        (" ", {"a"}),
        ("t", {""}),
        ("t", {"\0"}),
        ("t", {"\ud800"}),
        ("t", "staff"),
    ]:
        with pytest.raises(ConfigurationError):
            Access(tenant, principals)


_LOOP = """
DO $$
DECLARE
  state text;
BEGIN
  FOR n IN 1..30 LOOP
    SELECT g.state INTO state FROM ragspine.granted_v1() AS g;
    PERFORM set_config('seen.states', current_setting('seen.states', true) || state || ' ', false), pg_sleep(0.1);
  END LOOP;
END $$"""


def states_of_a_long_message(spine: RagSpine, database: Database) -> list[str]:
    """What a grant for a second is, asked every tenth of one inside a single message of three."""
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        connection.execute("SELECT set_config('ragspine.grant', %s, false)", [spine.grant(world.STAFF, seconds=1)])
        connection.execute("SELECT set_config('seen.states', '', false)")
        connection.execute(_LOOP)
        row = connection.execute("SELECT current_setting('seen.states')").fetchone()
    assert row is not None
    return str(row[0]).split()


def test_a_message_that_goes_on_and_on_does_not_stretch_a_grant(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant
) -> None:
    """statement_timestamp() stands still within one; the clock ends it, a minute later, which is cut short here."""
    plant("granted_v1", ("interval '1 minute'", "interval '0.2 seconds'"))
    states = states_of_a_long_message(fresh_spine, fresh_database)
    assert len(states) == 30
    assert states[0] == "valid"
    assert states[-1] == "expired"


def test_a_message_that_goes_on_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant: Plant) -> None:
    plant("granted_v1", (" OR expires + interval '1 minute' < clock_timestamp()", ""))
    assert states_of_a_long_message(fresh_spine, fresh_database)[-1] == "valid"
