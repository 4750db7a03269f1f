"""psql of the server under test."""

import subprocess
from pathlib import Path

import psycopg

from ragspine_pg.connect.embedded import EmbeddedServer


def psql(server: EmbeddedServer, url: str, script: str) -> "subprocess.CompletedProcess[str]":
    """Run ``script`` with the psql beside the server's binaries, stopping at the first error."""
    with psycopg.connect(server.url("superuser", "postgres")) as connection:
        row = connection.execute("SELECT setting FROM pg_catalog.pg_config WHERE name = 'BINDIR'").fetchone()
    assert row is not None
    command = [str(Path(row[0]) / "psql"), "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-f", "-", url]
    return subprocess.run(command, input=script, capture_output=True, text=True, check=False, cwd="/")
