"""A user's mistake is one line on stderr and status 2; a failure of the system is status 1; never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ragspine_pg import errors
from ragspine_pg.cli.commands import app
from ragspine_pg.cli.failure import explain_failure
from tests.cli.conftest import Run, environment, invoke, process
from tests.fixtures.database import Database


@pytest.fixture
def library(run: Run, documents: Path, request: pytest.FixtureRequest) -> str:
    name = f"{request.node.callspec.id if hasattr(request.node, 'callspec') else request.node.name}/l".replace(" ", "_")
    assert run("create", name, "--exist-ok").status == 0
    return name


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["search", "acme"], "Missing argument 'QUERY'"),
        (["search", "acme", "x", "--no-such-option"], "No such option"),
        (["no-such-command"], "No such command"),
        (["search", "acme/", "x", "--as", "y"], "write TENANT/LIBRARY"),
        (["search", "/handbook", "x", "--as", "y"], "write TENANT/LIBRARY"),
        (["search", "acme/a,,b", "x", "--as", "y"], "write TENANT/LIBRARY"),
        (["search", "acme", "x", "--as", " "], "no blanks around"),
        (["search", "acme", "x", "--as", "user:ann, group:hr"], "no blanks around"),
        (["search", "acme", "x", "--as", "user:ann,"], "commas between"),
        (["search", "acme", "x", "--as", "@members"], "no principal begins with @"),
        (["ingest", "acme/nowhere", ".", "--sensitivity", "SECRET"], "PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED"),
        (["search", "acme", "x", "--as", "y", "-k", "0"], "k is a whole number from 1 to 1000"),
        (["search", "acme", "x", "--as", "y", "-k", "1001"], "k is a whole number from 1 to 1000"),
        (["search", "acme", "x", "--as", "y", "-k", "many"], "-k"),
        (["search", "acme", "x", "--as", "y", "--filter", "{"], "valid JSON"),
        (["search", "acme", "x", "--as", "y", "--filter", '{"field": "a", "op": "~", "value": 1}'], "~"),
        (["search", "acme", "x", "--as", "y", "--mode", "fast"], "mode is one of"),
        (["search", "acme", "x", "--as", "y", "--expand", "child"], "expand"),
        (["stats", "acme"], "name one library as TENANT/LIBRARY"),
        (["stats", "acme/a,b"], "name one library as TENANT/LIBRARY"),
        (["stats", "acme/nowhere"], "there is no library acme/nowhere"),
        (["create", "acme/x", "--analyzer", "klingon"], "unknown analyzer"),
        (["create", "acme/x", "--chunker", "shredder"], "shredder"),
        (["create", "acme/x", "--statistics", "tenant"], "class or library"),
        (["create", "acme/x", "--profile", "[1]"], "takes a JSON object"),
        (["create", "acme/x", "--profile", '{"k2": 1}'], "k2"),
        (["create", "acme/x", "--field", "year"], "NAME:TYPE"),
        (["ingest", "acme/nowhere", __file__], "supported"),
        (["ingest", "acme/nowhere", "/no/such/file.md"], "/no/such/file.md"),
        (["ingest", "acme/nowhere", ".", "--readers", ""], "@members"),
        (["ingest", "acme/nowhere", ".", "--readers", "a,,b"], "@members"),
        (["ingest", "acme/nowhere", ".", "--readers", "a,@nobody"], "@members"),
        (["ingest", "acme/nowhere", ".", "--metadata", "7"], "takes a JSON object"),
        (["relabel", "acme/nowhere", "d"], "say what changes"),
        (["grant", "acme"], "--as PRINCIPAL"),
        (["grant", "acme/handbook", "--as", "x"], "a tenant alone"),
        (["grant", "acme", "--as", "x", "--ttl", "0"], "positive"),
        (["sql", "base"], "FROM:TO"),
        (["evaluate", "/no/such/folder"], "/no/such/folder"),
        (["evaluate", ".", "--as", "x"], "--library"),
        (["search", "acme", "x", "--as", "y", "--database", "mysql://h/d"], "postgresql://"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_mistake_is_one_line_that_says_what_to_do(run: Run, arguments: list[str], told: str) -> None:
    assert told in run(*arguments).mistake


def test_missing_login_is_named(database: Database) -> None:
    env = environment(database)
    assert "--ingest-database" in invoke("stats", "a/b", "--database", database.reader_url).mistake
    assert "--database" in invoke("search", "a", "x", "--as", "y", "--ingest-database", database.ingest_url).mistake
    assert "--owner-database" in invoke("migrate", "--database", database.reader_url).mistake
    no_key = {name: value for name, value in env.items() if name != "RAGSPINE_GRANT_KEY"}
    assert "RAGSPINE_GRANT_KEY" in invoke("search", "a", "x", "--as", "y", env=no_key).mistake
    assert "RAGSPINE" in invoke("search", "a", "x", "--as", "y", env={**env, "RAGSPINE_POOL_SIZE": "few"}).mistake


def test_single_login_searches_and_writes_as_the_owner(database: Database, documents: Path) -> None:
    options = ("--single-login", "--database", database.owner_url)
    env = {"RAGSPINE_GRANT_KEY": database.grant_key}
    assert invoke(*options, "create", "single/l", env=env).status == 0
    assert invoke("ingest", "single/l", documents, *options, env=env).status == 0
    found = invoke("search", "single/l", "returns", "--as", "x", "--json", *options, env=env)
    assert found.json["warnings"] == ["backstop_off"]
    assert found.json["hits"] != []
    refused = invoke("search", "single/l", "returns", "--as", "x", "--database", database.owner_url, env=env)
    assert "row-level security" in refused.mistake


def test_options_of_the_connection_stand_before_or_after_the_command(database: Database) -> None:
    owner = ("--owner-database", database.owner_url)
    before, after = invoke(*owner, "migrate"), invoke("migrate", *owner)
    assert before.status == after.status == 0
    assert before.stdout == after.stdout
    wrong = "postgresql://nobody@127.0.0.1:1/none"
    assert invoke("--owner-database", wrong, "migrate", *owner).status == 0  # the later one counts


def test_unreachable_database_is_a_failure_of_the_system() -> None:
    gone = invoke("stats", "a/b", "--ingest-database", "postgresql://nobody:s3cret@127.0.0.1:1/none")
    assert gone.status == 1
    assert gone.stderr.count("\n") == 1
    assert "cannot be reached" in gone.stderr
    assert "s3cret" not in gone.stderr


def test_a_library_that_is_missing_and_that_alone_is_told_how_to_make(run: Run, library: str) -> None:
    assert "`ragspine-pg create acme/no:where` makes it" in run("stats", "acme/no:where").mistake
    for arguments in (
        ("rollback", library),
        ("publish", library, "9"),
        ("relabel", library, "there: is", "--readers", "x"),
    ):
        assert "ragspine-pg create" not in run(*arguments).mistake


def test_traceback_is_shown_with_debug_alone(run: Run) -> None:
    assert "Traceback" not in run("stats", "acme/nowhere").stderr
    shown = run("stats", "acme/nowhere", "--debug")
    assert shown.status == 2
    assert "Traceback" in shown.stderr
    assert shown.stderr.splitlines()[-1] == (
        "ragspine-pg: there is no library acme/nowhere: `ragspine-pg create acme/nowhere` makes it,"
        " `ragspine-pg libraries` lists those there are"
    )


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.ConfigurationError("x"), 2),
        (errors.UnsafeRole("x"), 2),
        (errors.SchemaError("x"), 2),
        (errors.InvalidDocument("x"), 2),
        (errors.SourceRefused("x"), 2),
        (errors.LibraryExists("x"), 2),
        (errors.NotFound("x"), 2),
        (errors.InvalidFilter("x"), 2),
        (errors.ModeUnavailable("x"), 2),
        (errors.GrantInvalid("x"), 2),
        (errors.UnavailableError("x"), 1),
        (errors.VerificationFailed("x"), 1),
        (errors.DeadlineExceeded("x"), 1),
        (errors.RagSpineError("x"), 1),
        (OSError(28, "No space left on device", "x"), 1),
        (ZeroDivisionError("x"), 1),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_each_error_has_its_status(error: BaseException, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain_failure(error, debug=False) == status
    assert capsys.readouterr().err.count("\n") == 1


def test_unexpected_error_does_not_quote_what_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    explain_failure(ValueError("the text of a document"), debug=False)
    assert "document" not in capsys.readouterr().err


def test_message_names_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    explain_failure(errors.InvalidDocument("text holds a NUL", document="d\x1b7"), debug=False)
    assert capsys.readouterr().err == "ragspine-pg: document d␛7: text holds a NUL\n"


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    commands = (
        "demo migrate sql create ingest search explain delete relabel versions optimize stats evaluate grant doctor"
    )
    assert [name for name in commands.split() if f" {name} " not in shown.stdout] == []


def test_closed_pipe_is_quiet(database: Database) -> None:
    started = process("sql", env=environment(database))
    assert started.stdout is not None
    assert started.stderr is not None
    assert started.stdout.read(10)  # of some 200,000
    started.stdout.close()
    errors_shown = started.stderr.read()
    started.stderr.close()
    assert started.wait(timeout=60) == 141
    assert errors_shown == b""


def test_output_in_a_locale_without_unicode_is_still_utf8_json(run: Run, library: str, database: Database) -> None:
    env = {**environment(database), "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    tenant = library.partition("/")[0]
    started = process("search", tenant, "返品", "--as", "x", "--json", env=env)
    out, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert '"query":"返品"' in out.decode("utf-8")


def test_entry_point_is_installed() -> None:
    script = Path(sys.executable).with_name("ragspine-pg")
    if not script.exists():
        pytest.skip("the package is not installed here")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.startswith("ragspine-pg ")


def test_create_accepts_a_library_that_is_alike_in_the_options_given(run: Run) -> None:
    made = (
        *("--analyzer", "german", "--chunker", "layout", "--field", "year:number", "--profile", '{"k1": 0.9}'),
        *("--statistics", "library"),
    )
    assert run("create", "alike/l", *made).status == 0
    for given in ((), made, made[:2], made[2:4], made[4:6], made[6:8], made[8:]):
        assert run("create", "alike/l", "--exist-ok", *given).status == 0
    for given, told in (
        (("--analyzer", "english"), "analyzer is"),
        (("--field", "n:number"), "fields.n is none"),
        (("--statistics", "class"), "statistics is"),
    ):
        assert told in run("create", "alike/l", "--exist-ok", *given).stderr
