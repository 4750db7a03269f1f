"""``keys`` and ``revoke`` on a real database, and on an embedded server of the test's own."""

from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from ragspine_pg.cli.commands import app
from ragspine_pg.contract.grant import GrantKey
from tests.cli.conftest import Outcome, Run, environment, invoke
from tests.fixtures.database import Database


@pytest.fixture
def alone(fresh_database: Database) -> Run:
    """Runs a command on a database of the test's own."""

    def on_database(*arguments: str | Path, **env: str) -> Outcome:
        return invoke(*arguments, env={**environment(fresh_database), **env})

    return on_database


def test_keys_are_changed_without_a_moment_in_between(alone: Run, fresh_database: Database) -> None:
    old = fresh_database.grant_key.partition(":")[0]
    assert alone("create", "acme/notes").status == 0
    added = alone("keys", "--add")
    assert (added.status, added.stderr) == (0, "")
    line = added.stdout.strip().split("\n")[-1]
    assert line.startswith("RAGSPINE_GRANT_KEY=")
    new = line.partition("=")[2]
    for key in (fresh_database.grant_key, new):
        assert alone("search", "acme", "x", "--as", "user:ann", RAGSPINE_GRANT_KEY=key).status == 0
    shown = alone("keys")
    assert old in shown.stdout
    assert new.partition(":")[0] in shown.stdout
    assert new not in shown.stdout

    retired = alone("keys", "--retire", old, "--json")
    assert retired.json["retired"] is True
    assert retired.json["grant_key"] is None
    assert [key["retired_at"] is None for key in retired.json["keys"]] == [False, True]
    refused = alone("search", "acme", "x", "--as", "user:ann")
    assert (refused.status, refused.stdout) == (2, "")
    assert "unknown key" in refused.stderr
    assert alone("search", "acme", "x", "--as", "user:ann", RAGSPINE_GRANT_KEY=new).status == 0
    assert "is retired already" in alone("keys", "--retire", old).stdout


def test_mistakes_with_keys_are_one_line(alone: Run, fresh_database: Database) -> None:
    old = fresh_database.grant_key.partition(":")[0]
    assert "the only one in use" in alone("keys", "--retire", old).mistake
    assert "keys` lists those" in alone("keys", "--retire", "00000000").mistake
    assert "only the owner" in alone("keys", RAGSPINE_OWNER_URL=fresh_database.reader_url).mistake
    assert "RAGSPINE_OWNER_URL" in alone("keys", RAGSPINE_OWNER_URL="").mistake


def test_no_key_is_made_where_the_one_to_retire_is_mistyped(alone: Run, fresh_database: Database) -> None:
    old = fresh_database.grant_key.partition(":")[0]
    assert "keys` lists those" in alone("keys", "--add", "--retire", "00000000").mistake
    assert [key["key_id"] for key in alone("keys", "--json").json["keys"]] == [old]
    assert "the only one in use" in alone("keys", "--retire", old).mistake


def test_a_key_that_was_made_is_shown_whatever_fails_after_it(alone: Run, fresh_database: Database) -> None:
    old = fresh_database.grant_key.partition(":")[0]
    with psycopg.connect(fresh_database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE disk_full; END'"
        )
        connection.execute("CREATE TRIGGER x BEFORE UPDATE ON ragspine.grant_key EXECUTE FUNCTION public.refuse()")
    failed = alone("keys", "--add", "--retire", old)
    new = failed.stdout.strip().rpartition("RAGSPINE_GRANT_KEY=")[2]
    failed_json = alone("keys", "--add", "--retire", old, "--json")
    assert (failed.status, failed_json.status) == (1, 1)
    assert (failed_json.json["retired"], failed_json.json["keys"]) == (None, None)
    kept = {key["key_id"] for key in alone("keys", "--json").json["keys"]}
    assert kept == {
        GrantKey.parse(text).key_id for text in (fresh_database.grant_key, new, failed_json.json["grant_key"])
    }
    assert len(kept) == 3


def test_revoke_takes_a_grant_back(run: Run, database: Database) -> None:
    granted = run("grant", "acme", "--as", "user:ann", "--ttl", "600")
    assert run("revoke", granted.stdout.strip()).stdout == "the grant is revoked\n"
    env = {**environment(database)}
    again = CliRunner().invoke(app, ["revoke", "-"], env=env, input=granted.stdout)
    assert again.stdout == "there is nothing to revoke: it has expired, or was revoked before\n"
    assert "malformed" in run("revoke", "rg1.x").mistake


def test_an_embedded_server_signs_with_its_new_key(stopped_home: Path) -> None:
    env = {"RAGSPINE_HOME": str(stopped_home)}
    assert invoke("create", "acme/notes", env=env).status == 0
    (old,) = invoke("keys", "--json", env=env).json["keys"]
    assert "signs with grant key" in invoke("keys", "--retire", old["key_id"], env=env).mistake
    changed = invoke("keys", "--add", "--retire", old["key_id"], env=env)
    assert changed.status == 0, changed
    assert "keyring.json" in changed.stdout
    assert f"grant key {old['key_id']} is retired\n" in changed.stdout
    found = invoke("search", "acme", "x", "--as", "user:ann", env=env)
    assert found.status == 0, found
    assert invoke("migrate", env=env).status == 0


def test_revoke_without_a_grant_says_how_to_give_one(run: Run) -> None:
    assert "give the grant, or - to read it" in run("revoke").mistake


def test_migrate_says_that_it_added_the_key_of_the_settings(alone: Run) -> None:
    key = GrantKey.new()
    said = f"added grant key {key.key_id} from RAGSPINE_GRANT_KEY"
    added = alone("migrate", RAGSPINE_GRANT_KEY=key.text)
    assert said in added.stdout
    assert key.text not in added.stdout
    again = alone("migrate", "--json", RAGSPINE_GRANT_KEY=key.text)
    assert again.json["added_key_id"] is None
    assert again.json["grant_key"] is None
