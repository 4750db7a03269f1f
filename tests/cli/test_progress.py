"""An ingest says how far it is, and one that is stopped leaves nothing behind."""

import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from ragspine_pg.cli import progress as shown
from ragspine_pg.contract.ingest import Progress
from tests.cli.conftest import Run, environment, process
from tests.fixtures.database import Database


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Enough documents for some seconds of work."""
    source = tmp_path / "many.jsonl"
    words = [f"word{number}" for number in range(2000)]
    with source.open("w", encoding="utf-8") as file:
        for number in range(3000):
            text = " ".join(words[(number * 7 + at * 13) % 2000] for at in range(60))
            file.write(json.dumps({"id": f"d{number}", "text": text}) + "\n")
    return source


def _wait_until_it_writes(database: Database) -> None:
    deadline = time.monotonic() + 60
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        while time.monotonic() < deadline:
            query = """
                SELECT count(*) FROM pg_stat_activity
                 WHERE usename = 'ingest' AND datname = current_database()
                   AND xact_start < now() - interval '0.2 seconds'
            """
            row = connection.execute(query).fetchone()
            if row is not None and row[0]:
                return
            time.sleep(0.02)
    raise AssertionError("the ingest never began")


@pytest.mark.usefixtures("roles_at_rest")
def test_interrupted_ingest_stores_nothing_and_says_so(run: Run, many: Path, database: Database) -> None:
    assert run("create", "interrupted/l").status == 0
    started = process("ingest", "interrupted/l", many, env=environment(database))
    _wait_until_it_writes(database)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert out == b""
    assert err.decode().splitlines()[-1] == "ragspine-pg: interrupted: nothing was stored"
    assert "Traceback" not in err.decode()
    assert run("stats", "interrupted/l", "--json").json["documents"] == 0
    assert run("doctor", "--json").json["ok"] is True


def test_plain_lines_come_where_there_is_no_terminal(run: Run, many: Path, database: Database) -> None:
    assert run("create", "lines/l").status == 0
    started = process("ingest", "lines/l", many, env=environment(database))
    out, err = started.communicate(timeout=120)
    assert started.returncode == 0
    assert b"3,000 documents (3,000 added)" in out
    assert b"\x1b" not in out + err
    assert all(line.startswith("ragspine-pg: ") for line in err.decode().splitlines())


def test_bar_is_shown_on_a_terminal_and_goes_away(run: Run, many: Path, database: Database) -> None:
    assert run("create", "bar/l").status == 0
    ours, theirs = pty.openpty()
    env = {**environment(database), "TERM": "xterm", "COLUMNS": "100"}
    started = process("ingest", "bar/l", many, env=env, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert started.wait(timeout=120) == 0
    assert b"read" in seen
    assert b"/s" in seen


def test_lines_come_at_most_every_two_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    lines = shown._Lines(None)
    for step in range(100):
        now = 100.0 + step / 10
        lines(Progress("chunks", step, 100, step / 10, 10.0))
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4
    assert said[0] == "ragspine-pg: chunks: 20 of 100, 10/s, 20%, 8 s left"


def test_end_of_an_ingest_is_known() -> None:
    last = [Progress("verify", 5, 5, 1, 1), Progress("seal", 5, 5, 1, 1), Progress("fold", 0, None, 1, 1)]
    earlier = [Progress(stage, 4, 5, 1, 1) for stage in ("verify", "seal", "read")] + [Progress("chunks", 5, 5, 1, 1)]
    assert [shown._is_last(progress) for progress in last] == [True, True, True]
    assert [shown._is_last(progress) for progress in earlier] == [False, False, False, False]
