"""What somebody meets who types something slightly wrong: the line says what it is, and what to do."""

import re
import signal
import time
from pathlib import Path

import psycopg
import pytest

from ragspine_pg.chunking.registry import CHUNKERS
from ragspine_pg.cli.arguments import LANGUAGES
from ragspine_pg.config import ServiceConfig, unknown_variables
from ragspine_pg.contract.grant import MAX_GRANT_SECONDS, GrantKey
from ragspine_pg.embedding.registry import EMBEDDING_MODELS
from ragspine_pg.ingest.library import PROFILE_KEYS
from tests.cli.conftest import Run, environment, invoke, process
from tests.fixtures.database import Database


def test_a_mistyped_key_is_told_from_one_of_another_form(database: Database) -> None:
    env = environment(database)
    last = env["RAGSPINE_GRANT_KEY"][-1]
    mistyped = env["RAGSPINE_GRANT_KEY"][:-1] + ("0" if last != "0" else "1")
    arguments = ("search", "a", "x", "--as", "y")
    assert "checksum" in invoke(*arguments, env={**env, "RAGSPINE_GRANT_KEY": mistyped}).mistake
    other = invoke(*arguments, env={**env, "RAGSPINE_GRANT_KEY": "secret"}).mistake
    assert "not of the form" in other
    assert "checksum" not in other


def test_a_key_of_another_database_is_called_that(database: Database) -> None:
    env = {**environment(database), "RAGSPINE_GRANT_KEY": GrantKey.new().text}
    told = invoke("search", "a", "x", "--as", "y", env=env).mistake
    assert "unknown key" in told
    assert "another database" in told
    assert env["RAGSPINE_GRANT_KEY"] not in told


def test_migrate_says_why_it_cannot_connect(database: Database) -> None:
    wrong = re.sub(r"(://[^:]+):[^@]+@", r"\1:s3cret@", database.owner_url)
    for scheme in ("postgresql://", "postgresql+psycopg://"):
        refused = invoke("migrate", "--owner-database", wrong.replace("postgresql://", scheme))
        assert refused.status == 1
        assert refused.stderr.count("\n") == 1
        assert 'password authentication failed for user "' in refused.stderr
        assert "s3cret" not in refused.stderr


@pytest.mark.parametrize("place", ["nowhere", "nowhere/nothing"])
def test_nothing_readable_says_what_it_can_mean(run: Run, place: str) -> None:
    shown = run("search", place, "x", "--as", "user:mia")
    assert shown.status == 0
    for hint in ("no such tenant or library", "may read", "ragspine-pg libraries", "--as"):
        assert hint in shown.stderr
    assert run("search", place, "x", "--as", "user:mia", "--json").stderr == ""


def test_nothing_readable_hint_does_not_tell_the_two_apart(run: Run, documents: Path) -> None:
    assert run("create", "apart/l").status == 0
    assert run("ingest", "apart/l", documents, "--readers", "@nobody").status == 0
    hidden = run("search", "apart/l", "returns", "--as", "user:mia").stderr
    assert hidden == run("search", "apart/nowhere", "returns", "--as", "user:mia").stderr


def test_a_grant_lives_a_day_at_most(run: Run) -> None:
    assert run("grant", "acme", "--as", "x", "--ttl", str(MAX_GRANT_SECONDS)).status == 0
    assert "at most 86400" in run("grant", "acme", "--as", "x", "--ttl", str(MAX_GRANT_SECONDS + 1)).mistake


def test_a_field_twice_is_refused(run: Run) -> None:
    told = run("create", "twice/l", "--field", "year:number", "--field", "year:string").mistake
    assert "--field 'year' is given more than once" in told


def test_a_mistyped_variable_is_named_with_what_it_may_mean(run: Run) -> None:
    shown = run("grant", "acme", "--as", "x", RAGSPINE_DATABSE_URL="postgresql://h/d", RAGSPINE_WHATEVER="s3cret")
    assert shown.status == 0
    assert shown.stdout.startswith("rg1.")
    assert "RAGSPINE_DATABSE_URL in the environment is no setting and has no effect" in shown.stderr
    assert "is RAGSPINE_DATABASE_URL meant?" in shown.stderr
    assert "RAGSPINE_WHATEVER" in shown.stderr
    assert "s3cret" not in shown.stderr
    told = run("doctor", "--no-audit", RAGSPINE_DATABSE_URL="postgresql://h/d").stdout
    assert "RAGSPINE_DATABSE_URL is no setting" in told
    assert "is RAGSPINE_DATABASE_URL meant?" in told


def test_variables_of_others_are_left_alone() -> None:
    settings = [f"RAGSPINE_{name.upper()}" for name in ServiceConfig.model_fields]
    others = ["PATH", "RAGSPINE_OWNER_PASSWORD", "ragspine_analyzer"]
    services = ["RAGSPINE_PORT", "RAGSPINE_SERVICE_HOST", "RAGSPINE_DB_PORT_5432_TCP_ADDR", "RAGSPINE_DB_SERVICE_PORT"]
    assert unknown_variables([*settings, *others, *services]) == {}
    assert unknown_variables(["RAGSPINE_POOLSIZE"]) == {"RAGSPINE_POOLSIZE": "RAGSPINE_POOL_SIZE"}


def test_libraries_are_listed_and_one_is_dropped_when_that_is_meant(run: Run, documents: Path) -> None:
    for name in ("dropping/a", "dropping/b"):
        assert run("create", name, "--description", f"about {name}").status == 0
    assert run("ingest", "dropping/a", documents).status == 0
    listed = run("libraries", "dropping").stdout.splitlines()
    assert [line.split()[:3] for line in listed[1:]] == [["dropping/a", "4", "1"], ["dropping/b", "0", "1"]]
    assert "dropping/a" in run("libraries").stdout
    assert "name a tenant alone" in run("libraries", "dropping/a").mistake
    assert "4 documents" in run("drop", "dropping/a").mistake
    assert run("stats", "dropping/a", "--json").json["documents"] == 4
    assert run("drop", "dropping/a", "--yes").stdout == "dropping/a: dropped, with 4 documents\n"
    assert [found["library_id"] for found in run("libraries", "dropping", "--json").json["libraries"]] == ["b"]
    assert "there is no library dropping/a" in run("drop", "dropping/a", "--yes").mistake


def test_help_shows_the_connection_once_and_cuts_no_title() -> None:
    for command in ([], ["ingest"], ["search"], ["doctor"]):
        shown = invoke(*command, "--help", env={"COLUMNS": "80"}).stdout
        assert shown.count("Connection") == 1
        titles = [line for line in shown.splitlines() if line.startswith(("╭", "+-"))]
        assert titles
        assert all("…" not in line and "..." not in line for line in titles)
    # The source breaks its lines elsewhere than an 80-column terminal does.
    assert "one that is stored already" in invoke("ingest", "--help", env={"COLUMNS": "80"}).stdout


def test_ctrl_c_in_the_middle_of_an_import_is_one_line(tmp_path: Path, database: Database) -> None:
    """Where exactly a signal hits is chance; so a module that the commands need waits for it."""
    began = tmp_path / "began"
    (tmp_path / "typer.py").write_text(
        f"import pathlib, time\npathlib.Path({str(began)!r}).touch()\ntime.sleep(30)\n", encoding="utf-8"
    )
    started = process("versions", "nowhere/l", env={**environment(database), "PYTHONPATH": str(tmp_path)})
    while not began.exists():
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=10)
    assert (started.returncode, told) == (130, b"ragspine-pg: interrupted\n")


def test_the_bare_command_shows_the_help_and_nothing_else() -> None:
    shown = invoke()
    assert (shown.status, shown.stderr) == (2, "")
    assert shown.stdout.strip() == invoke("--help").stdout.strip()


def test_help_lists_what_can_be_named(database: Database) -> None:
    for command in ("create", "rebuild", "evaluate"):
        shown = " ".join(invoke(command, "--help", env={"COLUMNS": "1000"}).stdout.split())
        for name in (*CHUNKERS, *EMBEDDING_MODELS, *PROFILE_KEYS, "simple", "cjk", *LANGUAGES.split(", ")):
            assert name in shown, (command, name)
    with psycopg.connect(database.owner_url) as connection:
        rows = connection.execute("SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace")
        there = {row[0] for row in rows}
    assert set(LANGUAGES.split(", ")) <= there
    assert len(there) - len(LANGUAGES.split(", ")) < 4, "simple, and what a newer server has besides"


def test_readers_without_a_kind_are_warned_of(run: Run, documents: Path) -> None:
    assert run("create", "kinds/l").status == 0
    told = run("ingest", "kinds/l", documents, "--readers", "staff")
    assert told.status == 0
    assert "warning: readers without a kind, such as 'staff'" in told.stderr
    assert len(run("ingest", "kinds/l", documents, "--readers", "staff", "--json").json["warnings"]) == 1
    assert "without a kind" not in run("ingest", "kinds/l", documents, "--readers", "group:staff").stderr
    assert "such as 'hr'" in run("relabel", "kinds/l", "staff", "--readers", "hr").stderr


def test_what_had_no_effect_is_said(run: Run, documents: Path) -> None:
    assert run("create", "effects/l").status == 0
    assert run("ingest", "effects/l", documents).status == 0
    asked = ("search", "effects/l,nowhere", "returns", "--as", "x", "--expand", "parent", "--weights", '{"vector": 2}')
    shown = " ".join(run(*asked).stdout.split())
    assert "library_without_readable_documents:nowhere: unknown, or nothing in it" in shown
    assert "no_parent_window: --expand parent shows nothing more" in shown
    assert "weights_without_effect: --weights weighs two legs" in shown
