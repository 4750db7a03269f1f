"""The text of a grant, the keys that sign it, how one follows another, and where a grant never shows."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from ragspine_pg import Access, Document
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.errors import ConfigurationError, NotFound, SchemaError
from ragspine_pg.schema.grant_key import add_grant_key, list_grant_keys, retire_grant_key
from ragspine_pg.schema.migrate import migrate
from ragspine_pg.statement.catalogue import read
from tests.access.grants import grant_of, granted, state_of
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

ME = Access("acme", {"user:ann", "group:café"})
KEY = GrantKey(bytes(range(32)))

# Made by no code of ours: printf %s BODY | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1e1f
NONCE = bytes(range(8))
GOLDEN = (
    "rg1.630dcd29.9000000060.eyJub25jZSI6IjAwMDEwMjAzMDQwNTA2MDciLCJwcmluY2lwYWxzIjpbImdyb3VwOmNhZsOpIiwidXNlcjphbm4i"
    "XSwidGVuYW50IjoiYWNtZSJ9.e83e554dc3e0b528ffc515a004dfbeb2586b9e62801a51708f2d77af9ddb8179"
)
# By code of others, that puts no nonce in: good as well.
BARE = (
    "rg1.630dcd29.9000000060.eyJwcmluY2lwYWxzIjpbImdyb3VwOmNhZsOpIiwidXNlcjphbm4iXSwidGVuYW50IjoiYWNtZSJ9"
    ".4fc4bd7c1b4a109bdfd0ee3c644e6a7c08d70e7812eb04e6803d20ba3a191298"
)


def test_the_text_of_a_grant_is_the_golden_one() -> None:
    assert mint_grant(KEY, ME, seconds=60, now=9_000_000_000, nonce=NONCE) == GOLDEN


def test_no_two_grants_are_one_text() -> None:
    assert len({mint_grant(KEY, ME, seconds=60, now=9_000_000_000) for _ in range(100)}) == 100


def test_the_database_takes_the_golden_grant(fresh_database: Database) -> None:
    assert granted(fresh_database, GOLDEN) == ("unknown key", None)
    add_grant_key(fresh_database.owner_url, KEY.text)
    assert granted(fresh_database, GOLDEN) == ("valid", ["group:café", "user:ann"])
    assert granted(fresh_database, BARE) == ("valid", ["group:café", "user:ann"])
    assert granted(fresh_database, GOLDEN[:-1] + "8") == ("forged", None)


def test_one_key_follows_another_without_a_moment_in_between(fresh_database: Database) -> None:
    owner = fresh_database.owner_url
    old = GrantKey.parse(fresh_database.grant_key)
    with open_spine(fresh_database) as spine:
        spine.create_library(ME.tenant, "notes").ingest([Document("a", "returns")])
    before = mint_grant(old, ME, seconds=600)
    new = add_grant_key(owner)
    assert add_grant_key(owner, new.text) == new
    after = mint_grant(new, ME, seconds=600)
    assert before.split(".")[1] != after.split(".")[1]
    assert (state_of(fresh_database, before), state_of(fresh_database, after)) == ("valid", "valid")
    assert [(key.key_id, key.retired_at) for key in list_grant_keys(owner)] == [(old.key_id, None), (new.key_id, None)]

    with psycopg.connect(fresh_database.reader_url) as reader:
        reader.execute("SELECT ragspine.assume(%s)", [before])
        search = "SELECT document_id FROM ragspine.search('returns')"
        assert reader.execute(search).fetchall() == [("a",)]
        assert retire_grant_key(owner, old.key_id) is True
        assert reader.execute(search).fetchall() == []  # at once, in the middle of a transaction
        reader.execute("SELECT ragspine.assume(%s)", [after])
        assert reader.execute(search).fetchall() == [("a",)]
    assert state_of(fresh_database, before) == "unknown key"
    assert retire_grant_key(owner, old.key_id) is False
    assert [key.retired_at is None for key in list_grant_keys(owner)] == [False, True]


def test_a_retired_key_never_comes_back(fresh_database: Database) -> None:
    owner, old = fresh_database.owner_url, fresh_database.grant_key
    add_grant_key(owner)
    retire_grant_key(owner, old.partition(":")[0])
    for again in (lambda: add_grant_key(owner, old), lambda: migrate(owner, grant_key=old)):
        with pytest.raises(ConfigurationError, match="was retired in this database"):
            again()


def test_the_last_key_is_not_retired(fresh_database: Database) -> None:
    with pytest.raises(ConfigurationError, match="the only one in use"):
        retire_grant_key(fresh_database.owner_url, fresh_database.grant_key.partition(":")[0])
    assert [key.retired_at for key in list_grant_keys(fresh_database.owner_url)] == [None]


def test_the_last_key_is_not_retired_by_two_at_once(fresh_database: Database) -> None:
    owner = fresh_database.owner_url
    ids = [fresh_database.grant_key.partition(":")[0], add_grant_key(owner).key_id]
    refused: list[str] = []

    def second() -> None:
        try:
            retire_grant_key(owner, ids[1])
        except ConfigurationError as error:
            refused.append(str(error))

    with psycopg.connect(owner) as first:
        first.execute("SELECT 1")  # inside a transaction, so that it is not committed yet
        retire_grant_key(first, ids[0])
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()  # it waits for the first
        first.commit()
        thread.join(30)
    assert len(refused) == 1
    assert [key.retired_at is None for key in list_grant_keys(owner)].count(True) == 1


def test_what_is_wrong_with_a_key_is_said_without_the_key(database: Database, fresh_database: Database) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("DROP SCHEMA ragspine CASCADE")
    calls: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: retire_grant_key(database.owner_url, KEY.text), NotFound, "no grant key of that id"),
        (lambda: add_grant_key(database.owner_url, KEY.text[:-1] + "0"), ConfigurationError, "mistyped"),
        (lambda: list_grant_keys(database.reader_url), ConfigurationError, "only the owner"),
        (lambda: add_grant_key(database.ingest_url), ConfigurationError, "only the owner"),
        (lambda: list_grant_keys(fresh_database.owner_url), SchemaError, "migrate"),
    ]
    for call, kind, what in calls:
        with pytest.raises(kind, match=what) as caught:
            call()
        assert KEY.key.hex()[:-2] not in str(caught.value)


# Timing cannot be asserted here; that nothing is compared but hashes with a fresh nonce can.
def assert_compared_behind_a_nonce(text: str) -> None:
    code = re.sub(r"--[^\n]*", "", text)
    compared = [line.strip() for line in code.split("\n") if re.search(r"expected\b.*(=|<>|LIKE|IN\b)", line)]
    assert compared == [
        "IF sha256(nonce || convert_to(expected, 'UTF8')) <> sha256(nonce || convert_to(part[5], 'UTF8')) THEN"
    ]
    assert re.findall(r"\bnonce\b\s*(?:CONSTANT\s+)?(?:bytea\s*)?:=\s*([^;]*)", code) == [
        "uuid_send(gen_random_uuid())"
    ]


def test_signatures_are_compared_behind_a_fresh_nonce() -> None:
    assert_compared_behind_a_nonce(read("functions", "granted_v1"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sha256(nonce || convert_to(expected, 'UTF8'))", "sha256(convert_to(expected, 'UTF8'))"),
        ("uuid_send(gen_random_uuid())", "decode('00', 'hex')"),
        ("  nonce := ", "  IF expected = part[5] THEN\n    RETURN;\n  END IF;\n  nonce := "),
    ],
)
def test_signatures_are_compared_behind_a_fresh_nonce_has_teeth(old: str, new: str) -> None:
    text = read("functions", "granted_v1")
    assert old in text
    with pytest.raises(AssertionError):
        assert_compared_behind_a_nonce(text.replace(old, new))


def test_a_search_finds_its_libraries_once_and_a_function_verifies_once(fresh_database: Database) -> None:
    """Each function asks who is calling once; what a search costs for that does not grow with its hits."""
    with open_spine(fresh_database) as spine:
        library = spine.create_library(ME.tenant, "notes")
        library.ingest(Document(f"d{n}", f"returns number {n}") for n in range(20))
    grant = grant_of(fresh_database, ME, seconds=600)
    names = ("readable_libraries_v1", "caller_v1", "granted_v1")
    with psycopg.connect(fresh_database.superuser_url) as connection:
        connection.execute("SET track_functions = 'all'")

        def counters() -> list[int]:
            count = "SELECT coalesce(pg_stat_get_xact_function_calls(('ragspine.' || %s)::regproc), 0)"
            return [connection.execute(count, [name]).fetchall()[0][0] for name in names]

        def calls(statement: str) -> tuple[int, ...]:
            """How often each of the functions runs in it, sent by a reader."""
            before = counters()
            connection.execute("SET LOCAL SESSION AUTHORIZATION reader")
            connection.execute("SELECT set_config('ragspine.grant', %s, true)", [grant])
            connection.execute(statement)  # type: ignore[call-overload]  # text of our own
            connection.execute("RESET SESSION AUTHORIZATION")
            return tuple(after - earlier for after, earlier in zip(counters(), before, strict=True))

        assert calls("SELECT 1") == (0, 0, 0)
        assert calls("SELECT * FROM ragspine.granted_v1()") == (0, 0, 1)
        assert calls("SELECT ragspine.assume(current_setting('ragspine.grant'))") == (0, 0, 1)
        assert calls("SELECT * FROM ragspine.readable_libraries_v1(NULL)") == (1, 1, 1)
        assert calls("SELECT * FROM ragspine.readable_descriptions_v1(NULL, 'returns')") == (0, 1, 1)
        for name, expected in (("* FROM ragspine.search", (1, 2)), ("ragspine.search_json", (2, 3))):
            one, all_of_them = (calls(f"SELECT {name}('returns', k => {k}, mode => 'economy')") for k in (1, 20))
            assert one == all_of_them
            assert one[:2] == expected  # how many policies verify besides is the planner's


@contextmanager
def watching(database: Database) -> Iterator[list[str]]:
    """The statements that pg_stat_activity shows of the reader's and the writer's sessions meanwhile."""
    seen: list[str] = []
    done = threading.Event()

    def watch() -> None:
        with psycopg.connect(database.superuser_url, autocommit=True) as connection:
            while not done.is_set():
                query = "SELECT query FROM pg_stat_activity WHERE datname = %s AND usename IN ('reader', 'ingest')"
                seen.extend(row[0] for row in connection.execute(query, [database.name]))
                time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


def test_a_grant_is_in_no_statement_that_others_can_see(fresh_database: Database, plant: Plant) -> None:
    # Slow enough to be looked at.
    for name in ("assume_v1", "revoke_v1"):
        plant(name, ("BEGIN\n", "BEGIN\n  PERFORM pg_sleep(0.3);\n"))
    with open_spine(fresh_database) as spine:
        spine.create_library(ME.tenant, "notes").ingest([Document("a", "returns")])
        with watching(fresh_database) as seen:
            assert spine.search("returns", access=ME).hits
            assert spine.revoke(spine.grant(ME, seconds=600))
    for shown in ("ragspine.assume($1)", "ragspine.revoke($1)"):
        assert [text for text in seen if shown in text]
    assert [text for text in seen if "rg1." in text] == []


def test_a_grant_is_in_no_statement_that_others_can_see_has_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("assume_v1", ("BEGIN\n", "BEGIN\n  PERFORM pg_sleep(0.3);\n"))
    grant = grant_of(fresh_database, ME)
    with psycopg.connect(fresh_database.reader_url) as connection, watching(fresh_database) as seen:
        connection.execute(f"SELECT ragspine.assume('{grant}')")
    assert [text for text in seen if "rg1." in text]
