"""What listens to the whole run (``tests.fixtures.silence``) finds a text wherever it is told."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
import typer
from typer.testing import CliRunner

from ragspine_pg import Access, Document, RagSpineError
from ragspine_pg.connect import transaction
from ragspine_pg.flow import driver
from tests.fixtures.database import Database
from tests.fixtures.listener import OURS, PLANTED, Listener
from tests.fixtures.shingles import Shingles
from tests.fixtures.spine import Plant, open_spine

ROOT = Path(__file__).parents[2]
TEXT = "Hedgehogs inherit the lighthouse after a quiet winter."
ANN = Access("acme", {"user:ann"})


@pytest.fixture
def planted(fresh_database: Database) -> Database:
    """A database on which nothing that is said is the package's fault."""
    named = f"&application_name={PLANTED}"
    ingest, reader = fresh_database.ingest_url + named, fresh_database.reader_url + named
    return replace(fresh_database, ingest_url=ingest, reader_url=reader)


@pytest.fixture
def finds(listener: Listener) -> Iterator[list[str]]:
    """What is found meanwhile."""
    listener.tell(TEXT)
    with listener.apart() as found:
        yield found


def found_in_log(listener: Listener, database: Database, start: int, *, ours: str = PLANTED) -> bool:
    """Whether the server's log tells the text from byte ``start`` on."""
    with listener.apart() as found:
        listener.hear_server(database.log_path, ours=ours, start=start)
    return any("hedgehogs" in find.casefold() for find in found)


@pytest.mark.parametrize(
    "said",
    [
        TEXT,
        TEXT.upper(),
        f'"{TEXT[4:40]}',
        json.dumps({"a": [TEXT]}),
        "Hedgehogs\ninherit\nthe\nlighthouse",
        "x='hedgehogs''inherit'",
    ],
)
def test_a_stretch_of_a_text_is_known(said: str) -> None:
    texts = Shingles()
    texts.add(TEXT)
    assert (texts.find(said) is None) == ("\n" in said)  # a line of a log is searched by itself


@pytest.mark.parametrize(
    "said", ["", "Hedgehogs", "lighthouse-keeper", "inherit the", "the light after a quiet day", "the lighthouse"]
)
def test_words_that_anybody_may_say_are_no_text(said: str) -> None:
    texts = Shingles()
    texts.add(TEXT)
    assert texts.find(said) is None


def test_what_may_be_said_is_no_text_elsewhere() -> None:
    texts = Shingles()
    texts.add(TEXT)
    texts.allow("Hedgehogs inherit the lighthouse")
    assert texts.find("hedgehogs inherit the lighthouse") is None
    assert texts.find("the lighthouse after a quiet winter") is not None


def test_a_stretch_of_a_text_without_blanks_is_known() -> None:
    texts = Shingles()
    texts.add("静かな冬のあと、はりねずみは灯台を受け継ぐ。")
    assert texts.find("…あと、はりねずみは灯台を受け継ぐ。") is None  # fifteen
    assert texts.find("…冬のあと、はりねずみは灯台を受け継ぐ…") is not None


def test_what_is_handed_in_as_a_name_too_is_forgotten(listener: Listener) -> None:
    other = "Otters repaint the harbour wall"
    with listener.forgetting():
        Document("d", other)
    assert listener.texts.find(other) is None
    with listener.apart() as finds:
        Document("d", other)
        listener.hear("planted", other)
    assert finds


def test_what_a_function_raises_is_heard(planted: Database, plant: Plant, listener: Listener, finds: list[str]) -> None:
    told = "(SELECT c.text FROM ragspine.chunk AS c LIMIT 1)"
    start = planted.log_path.stat().st_size
    with open_spine(planted) as spine:
        spine.create_library("acme", "notes").ingest([Document("d", TEXT)])
        assert len(spine.search("hedgehogs", access=ANN).hits) == 1
        assert (finds, found_in_log(listener, planted, start)) == ([], False)
        plant("read_passages_v1", ("BEGIN\n", f"BEGIN\n  RAISE EXCEPTION 'no %', {told} USING ERRCODE = 'RS006';\n"))
        with pytest.raises(RagSpineError):
            spine.search("hedgehogs", access=ANN)
    assert finds
    assert found_in_log(listener, planted, start)


def test_a_notice_is_heard(planted: Database, plant: Plant, listener: Listener, finds: list[str]) -> None:
    start = planted.log_path.stat().st_size
    plant("analyze_text_v1", ("BEGIN\n", "BEGIN\n  RAISE WARNING 'cut %', text;\n"))
    with open_spine(planted) as spine:
        spine.create_library("acme", "notes").ingest([Document("d", TEXT)])
    assert found_in_log(listener, planted, start)


@pytest.mark.parametrize("wrapped", [True, False])
def test_the_detail_of_an_error_is_heard(
    planted: Database, listener: Listener, finds: list[str], monkeypatch: pytest.MonkeyPatch, wrapped: bool
) -> None:
    with psycopg.connect(planted.owner_url) as owner:
        owner.execute("ALTER TABLE ragspine.chunk ADD CONSTRAINT planted CHECK (pg_catalog.length(text) < 5)")
    if not wrapped:
        for module in (driver, transaction):
            monkeypatch.setattr(module, "translate", lambda error: error)
    start = planted.log_path.stat().st_size
    # The owner's: to a login that row-level security binds, the server gives no row in a DETAIL.
    by_owner = replace(planted, ingest_url=f"{planted.owner_url}&application_name={PLANTED}")
    for database, quotes in ((planted, False), (by_owner, True)):
        with open_spine(database) as spine, pytest.raises(RagSpineError if wrapped else psycopg.Error):
            spine.create_library("acme", f"notes {quotes}").ingest([Document("d", TEXT)])
        assert bool(finds) == (quotes and not wrapped)
        assert found_in_log(listener, planted, start) == quotes  # a host's log does that, and `doctor` says so


def test_a_word_of_a_key_is_heard(planted: Database, listener: Listener) -> None:
    start = planted.log_path.stat().st_size
    with psycopg.connect(planted.ingest_url) as connection:
        connection.execute("CREATE TEMPORARY TABLE word (lexeme text PRIMARY KEY)")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO word SELECT 'heather' FROM pg_catalog.generate_series(1, 2)")
    with listener.apart() as found:
        listener.hear_server(planted.log_path, ours=PLANTED, start=start)
    assert any("Key (lexeme)=" in find for find in found)


def test_a_statement_of_ours_is_heard_and_what_it_is_given_is_not_there(
    planted: Database, listener: Listener, finds: list[str]
) -> None:
    start = planted.log_path.stat().st_size
    with psycopg.connect(planted.ingest_url) as connection:
        connection.execute("SELECT %s::text", [TEXT])
        assert not found_in_log(listener, planted, start)
        connection.execute(f"SELECT '{TEXT}'")  # type: ignore[call-overload]
        assert found_in_log(listener, planted, start)
        assert not found_in_log(listener, planted, start, ours=OURS)
    with psycopg.connect(planted.owner_url) as connection:
        start = planted.log_path.stat().st_size
        connection.execute(f"SELECT '{TEXT}'")  # type: ignore[call-overload]
    assert not found_in_log(listener, planted, start)


@pytest.mark.parametrize("how", ["args", "message", "exception"])
def test_a_log_record_is_heard(finds: list[str], how: str) -> None:
    logger = logging.getLogger("ragspine_pg.any")
    if how == "args":
        logger.debug("cut %r", Document("d", TEXT))
    elif how == "message":
        logger.info(TEXT)
    else:
        try:
            raise ValueError(TEXT)
        except ValueError:
            logger.exception("cut")
    assert finds


@pytest.mark.parametrize("how", ["message", "args", "ids", "note", "cause", "context", "group"])
def test_what_hangs_on_an_error_is_heard(listener: Listener, finds: list[str], how: str) -> None:
    error: Exception = RagSpineError("refused")
    if how == "message":
        error = RagSpineError(TEXT)
    elif how == "args":
        error.args = ("refused", [TEXT])
    elif how == "ids":
        error = RagSpineError("refused", document=TEXT)
    elif how == "note":
        error.add_note(TEXT)
    elif how == "cause":
        error.__cause__ = ValueError(TEXT)
    elif how == "context":
        error.__context__ = ValueError(TEXT)
    else:
        error = ExceptionGroup("refused", [ValueError(TEXT)])
    listener.hear_error("planted", error)
    assert finds


def test_what_a_traceback_does_not_show_is_not_told(listener: Listener, finds: list[str]) -> None:
    error = RagSpineError("refused")
    error.__context__ = ValueError(TEXT)
    error.__suppress_context__ = True
    listener.hear_error("planted", error)
    assert not finds


@pytest.mark.parametrize("process", [False, True])
def test_stderr_is_heard(finds: list[str], process: bool) -> None:
    if process:
        code = f"import sys; sys.stderr.write({TEXT!r})"
        subprocess.run([sys.executable, "-c", code, "ragspine_pg"], capture_output=True, check=True)
    else:
        app = typer.Typer()
        app.command()(lambda: typer.echo(TEXT, err=True))
        assert CliRunner().invoke(app, []).exit_code == 0
    assert finds


_RUN = f"""
import logging, os, pathlib
from ragspine_pg import Document

def test_tells():
    Document("d", {TEXT!r})
    if os.environ["PLANTED"] == "record":
        logging.getLogger("any").info({TEXT!r})
    elif os.environ["PLANTED"] == "entry":
        log = pathlib.Path(os.environ["RAGSPINE_TEST_HOME"]) / "server" / "cluster" / "log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("2024-01-01 00:00:00.000 UTC [1] {{ragspine_pg}} ERROR:  no " + {TEXT!r})
"""


@pytest.mark.parametrize(("planted", "workers"), [("nothing", "0"), ("record", "1"), ("entry", "1")])
def test_a_find_fails_the_run_and_is_shown(tmp_path: Path, planted: str, workers: str) -> None:
    (tmp_path / "test_planted.py").write_text(_RUN, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "tests.fixtures.server"]
    command += ["-p", "tests.fixtures.silence", "-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path)]
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "RAGSPINE"))}
    done = subprocess.run(
        command, cwd=ROOT, env={**outer, "PLANTED": planted}, capture_output=True, text=True, check=False
    )
    assert done.returncode == (planted != "nothing"), done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert ("tells 'hedgehogsinherit'" in done.stdout) == (planted != "nothing")
