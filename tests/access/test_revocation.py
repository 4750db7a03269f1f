"""A grant that was taken back is none from the next statement on, and nothing else is touched by that."""

import asyncio
import time

import psycopg
import pytest

from ragspine_pg import Access, AsyncRagSpine, Document, Ingestor, RagSpine
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.errors import ConfigurationError, GrantInvalid
from tests.access import world
from tests.access.grants import grant_of, state_of
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

ME = Access("revoking", {"user:me"})


def listed(database: Database) -> int:
    with psycopg.connect(database.owner_url) as connection:
        return int(connection.execute("SELECT count(*) FROM ragspine.revoked_grant").fetchall()[0][0])


def assert_revoking_holds(database: Database) -> None:
    """The core: in the middle of a transaction, for that grant alone."""
    revoked, other = grant_of(database, ME), grant_of(database, ME)
    with Ingestor.open(database.ingest_url) as ingestor, psycopg.connect(database.reader_url) as reader:
        assert (state_of(reader, revoked), state_of(reader, other)) == ("valid", "valid")
        assert ingestor.revoke(revoked) is True
        assert ingestor.revoke(revoked) is False
        assert (state_of(reader, revoked), state_of(reader, other)) == ("revoked", "valid")
        with pytest.raises(psycopg.Error, match="the grant does not verify: revoked") as caught, reader.transaction():
            reader.execute("SELECT ragspine.assume(%s)", [revoked])
        assert caught.value.sqlstate == "RS008"
        for wrong in (mint_grant(GrantKey.new(), ME), revoked[:-1] + "x", "rg1", ""):
            with pytest.raises(GrantInvalid, match="does not verify"):
                ingestor.revoke(wrong)


def test_a_revoked_grant_is_none_from_the_next_statement_on(fresh_database: Database) -> None:
    assert_revoking_holds(fresh_database)
    assert listed(fresh_database) == 1


def test_the_list_of_revoked_grants_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("granted_v1", ("IF revoked THEN", "IF false THEN"))
    with pytest.raises(AssertionError):
        assert_revoking_holds(fresh_database)


def test_only_what_verifies_is_listed_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("revoke_v1", ("IF state <> 'valid' THEN", "IF false THEN"))
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_revoking_holds(fresh_database)


def test_what_a_revoked_grant_could_read_it_reads_no_more(fresh_database: Database) -> None:
    with open_spine(fresh_database) as spine:
        spine.create_library(ME.tenant, "notes").ingest([Document("a", "returns", readers=ME.principals)])
        grant = spine.grant(ME, seconds=600)
        search = "SELECT document_id FROM ragspine.search('returns')"
        with psycopg.connect(fresh_database.reader_url) as reader:
            reader.execute("SELECT ragspine.assume(%s)", [grant])
            assert reader.execute(search).fetchall() == [("a",)]
            assert spine.revoke(grant) is True
            assert reader.execute(search).fetchall() == []
        assert len(spine.search("returns", access=ME).hits) == 1  # by a grant of its own


def test_awaited_it_is_the_same(fresh_database: Database) -> None:
    async def body() -> tuple[bool, bool]:
        opening = AsyncRagSpine.open(
            fresh_database.reader_url, ingest=fresh_database.ingest_url, grant_key=fresh_database.grant_key
        )
        async with await opening as spine:
            grant = spine.grant(ME, seconds=600)
            return await spine.revoke(grant), await spine.revoke(grant)

    assert asyncio.run(body()) == (True, False)


def test_a_transaction_that_keeps_its_snapshot_keeps_what_it_saw(fresh_database: Database) -> None:
    """As is said of it: what began at REPEATABLE READ sees no revocation that came later, but expiry it sees."""
    grant = grant_of(fresh_database, ME)
    with Ingestor.open(fresh_database.ingest_url) as ingestor, psycopg.connect(fresh_database.reader_url) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        assert state_of(reader, grant) == "valid"
        ingestor.revoke(grant)
        assert state_of(reader, grant) == "valid"
        reader.rollback()
        assert state_of(reader, grant) == "revoked"


def test_expired_grants_are_no_business_of_the_list_and_leave_it(fresh_database: Database) -> None:
    with Ingestor.open(fresh_database.ingest_url) as ingestor:
        assert ingestor.revoke(grant_of(fresh_database, ME, now=time.time() - 3600)) is False
        assert listed(fresh_database) == 0
        ingestor.revoke(grant_of(fresh_database, ME))
        for ago, left in (
            ("1 second", 2),
            ("61 seconds", 1),
        ):  # the clock ends a grant a minute late: till then it is kept
            with psycopg.connect(fresh_database.owner_url) as owner:
                owner.execute("UPDATE ragspine.revoked_grant SET expires_at = now() - %s::interval", [ago])
            ingestor.revoke(grant_of(fresh_database, ME, seconds=600 + left))
            assert listed(fresh_database) == left


def test_revoking_one_of_two_grants_signed_alike_leaves_the_other(fresh_database: Database) -> None:
    now = time.time()
    one, other = grant_of(fresh_database, ME, now=now), grant_of(fresh_database, ME, now=now)
    with Ingestor.open(fresh_database.ingest_url) as ingestor, psycopg.connect(fresh_database.reader_url) as reader:
        assert ingestor.revoke(one) is True
        assert (state_of(reader, one), state_of(reader, other)) == ("revoked", "valid")


def test_revoking_a_grant_of_the_default_length_stops_no_search_of_ours(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = time.time()
    monkeypatch.setattr("ragspine_pg.contract.grant.time.time", lambda: second)  # all are signed in the same second
    with open_spine(fresh_database) as spine:
        spine.create_library(ME.tenant, "notes").ingest([Document("a", "returns")])
        assert spine.revoke(spine.grant(ME)) is True
        assert len(spine.search("returns", access=ME).hits) == 1


def test_the_callers_own_grant_stays(fresh_database: Database) -> None:
    own, other = grant_of(fresh_database, ME), grant_of(fresh_database, ME)
    with psycopg.connect(fresh_database.ingest_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [own])
        assert connection.execute("SELECT ragspine.revoke(%s)", [other]).fetchall() == [(True,)]
        assert connection.execute("SELECT state FROM ragspine.granted_v1()").fetchall() == [("valid",)]
        connection.rollback()
        assert state_of(connection, other) == "valid"  # nothing of it was kept


def test_who_searches_takes_nothing_back(database: Database) -> None:
    for name in ("revoke", "revoke_v1"):
        with psycopg.connect(database.reader_url) as reader, pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(f"SELECT ragspine.{name}('x')")
    for url in (database.reader_url, database.ingest_url):
        with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM ragspine.revoked_grant")


def test_opened_for_reading_alone_says_what_is_missing(database: Database) -> None:
    with (
        RagSpine.open(database.reader_url, grant_key=database.grant_key) as spine,
        pytest.raises(ConfigurationError, match="RAGSPINE_INGEST_URL"),
    ):
        spine.revoke(spine.grant(world.STAFF))


def test_it_costs_one_look_into_an_index(fresh_database: Database) -> None:
    scans = """
        SELECT pg_stat_get_xact_numscans('ragspine.revoked_grant'::regclass),
               pg_stat_get_xact_numscans('ragspine.pk_revoked_grant'::regclass)
    """
    with psycopg.connect(fresh_database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO ragspine.revoked_grant SELECT encode(sha256(n::text::bytea), 'hex'), now() + interval '1 day'"
            " FROM generate_series(1, 20000) AS n"
        )
        connection.execute("ANALYZE ragspine.revoked_grant")
        with connection.transaction():
            before = connection.execute(scans).fetchall()[0]
            for _ in range(5):
                assert state_of(connection, grant_of(fresh_database, ME)) == "valid"
            after = connection.execute(scans).fetchall()[0]
    assert (after[0] - before[0], after[1] - before[1]) == (0, 5)
