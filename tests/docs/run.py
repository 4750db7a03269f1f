"""Runs the snippets of a page: Python in a process of its own on an embedded server, SQL as its reader."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pglast
import psycopg

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.access import Access
from ragspine_pg.contract.grant import GrantKey, mint_grant
from tests.docs.blocks import Block

# Who the SQL snippets act for: the caller of the Python ones.
CALLER = Access("acme", {"group:staff"})


def run_python(snippets: list[Block], home: Path) -> "subprocess.CompletedProcess[str]":
    """Run the snippets one after the other in one namespace, as somebody who pastes them into a prompt."""
    program = "\n".join(f"exec(compile({block.code!r}, 'snippet in line {block.line}', 'exec'))" for block in snippets)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAGSPINE_")}
    kept = {name: os.environ[name] for name in ("RAGSPINE_PG_BIN",) if name in os.environ}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**environment, **kept, "RAGSPINE_HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def run_sql(block: Block, server: EmbeddedServer) -> list[list[tuple[Any, ...]]]:
    """The rows of each statement that has some; ``$1`` is a grant of ``CALLER``, a bound parameter."""
    key = server.grant_key
    assert key is not None
    grant = mint_grant(GrantKey.parse(key), CALLER)
    results = []
    with psycopg.connect(server.reader_url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        for text in map(str, pglast.split(block.code)):
            cursor = connection.execute(text, [grant] if "$1" in text else None)
            if cursor.description is not None:
                results.append(cursor.fetchall())
    return results
