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
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.grant import GrantKey, mint_grant
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.local import LocalModel
from tests.docs.blocks import Block

# Who the SQL snippets act for: the caller of the Python ones.
CALLER = Access("acme", {"group:staff"})
# And what those ask that come with a vector.
QUESTION = "How long can I return an order?"


def run_python(snippets: list[Block], home: Path, *, apart: bool = False) -> "subprocess.CompletedProcess[str]":
    """Run the snippets one after the other in one namespace, as somebody who pastes them into a prompt.

    ``apart``: each in a namespace of its own. What they write goes beside ``home``.
    """
    names = ", {}" if apart else ""
    program = "\n".join(
        f"exec(compile({block.code!r}, 'snippet in line {block.line}', 'exec'){names})" for block in snippets
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAGSPINE_")}
    kept = {name: os.environ[name] for name in ("RAGSPINE_PG_BIN",) if name in os.environ}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**environment, **kept, "RAGSPINE_HOME": str(home)},
        cwd=home.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def run_sql(block: Block, server: EmbeddedServer) -> list[list[tuple[Any, ...]]]:
    """The rows of each statement that has some.

    Parameters are bound: of ``assume`` a grant of ``CALLER``, of a search the vector of ``QUESTION`` and its space.
    """
    key = server.grant_key
    assert key is not None
    grant = mint_grant(GrantKey.parse(key), CALLER)
    results = []
    with psycopg.connect(server.reader_url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        for text in map(str, pglast.split(block.code)):
            given: list[str] | None = None
            if "query_embedding => $1, query_space => $2" in text:
                assert QUESTION in text
                model = LocalModel()
                embedded = embed_checked(model, [QUESTION], EmbeddingTask.RETRIEVAL_QUERY)
                given = [vector_text(embedded.vectors[0]), model.space.fingerprint]
            elif "$1" in text:
                given = [grant]
            cursor = connection.execute(text, given)
            if cursor.description is not None:
                results.append(cursor.fetchall())
    return results
