"""The command line on the test server: in this process, and as a process of its own."""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from typer.testing import CliRunner

from ragspine_pg.cli.commands import app
from ragspine_pg.connect.embedded import EmbeddedServer
from tests.fixtures.database import Database, empty_database

ROOT = Path(__file__).parents[2]
_SETTINGS = ("DATABASE_URL", "INGEST_URL", "OWNER_URL", "GRANT_KEY", "HOME", "PG_BIN", "RETRIEVAL_MODE", "ANALYZER")


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout."""
        assert self.stdout.count("\n") == 1, self
        return json.loads(self.stdout)

    @property
    def mistake(self) -> str:
        """The one line of a user's mistake."""
        assert self.status == 2, self
        assert self.stdout == ""
        assert self.stderr.count("\n") == 1, self
        return self.stderr


Run = Callable[..., Outcome]


def environment(database: Database) -> dict[str, str]:
    """The variables that name every login of ``database``."""
    return {
        "RAGSPINE_DATABASE_URL": database.reader_url,
        "RAGSPINE_INGEST_URL": database.ingest_url,
        "RAGSPINE_OWNER_URL": database.owner_url,
        "RAGSPINE_GRANT_KEY": database.grant_key,
    }


def invoke(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Outcome:
    """Run the application in this process, with no other setting than ``env``."""
    clean: dict[str, str | None] = {f"RAGSPINE_{name}": None for name in _SETTINGS}
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], env={**clean, **(env or {})})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Outcome(done.exit_code, done.stdout, done.stderr)


def process(*arguments: str | Path, env: Mapping[str, str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start ``python -m ragspine_pg`` with no other setting than ``env``."""
    left_out = ("RAGSPINE_", "PYTHONUNBUFFERED")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    command = [sys.executable, "-m", "ragspine_pg", *map(str, arguments)]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # A suite that a shell runs in the background ignores SIGINT, and so would its children.
    return subprocess.Popen(
        command, cwd=ROOT, env={**clean, **env}, preexec_fn=_heed_interrupts, **{**piped, **options}
    )


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def run(database: Database) -> Run:
    """Runs a command on the module's database, with all logins in the environment."""

    def on_database(*arguments: str | Path, **env: str) -> Outcome:
        return invoke(*arguments, env={**environment(database), **env})

    return on_database


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A folder of documents: Markdown with a heading, and JSONL with rights."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "returns.md").write_text(
        "# Returns\n\nReturns are accepted within 30 days of delivery.\n\n## Late\n\nLate returns are refused.\n\n"
        "A return is late, and so refused, after the deadline that the delivery note states.\n",
        encoding="utf-8",
    )
    lines = [
        {"id": "staff", "title": "Desk", "text": "Returns desk: staff guide.", "readers": ["group:staff"]},
        {"id": "2024", "title": "Old", "text": "Returns in 2024.", "metadata": {"year": 2024}},
        {"id": "secret", "text": "Returns nobody reads.", "sensitivity": "RESTRICTED"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "more.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def empty_url(server: EmbeddedServer) -> Iterator[str]:
    """The owner's URL of a database with pgvector and nothing else."""
    name = f"empty_{secrets.token_hex(6)}"
    yield empty_database(server, name)
    with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
