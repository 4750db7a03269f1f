"""A client or server killed in the middle of an ingest: what was published stays, and the ingest can be made again."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.ingest import pipeline
from tests.fixtures.database import Database, clone, migrated_template
from tests.ingest.shelf import Shelf
from tests.ingest.writer import documents

ROOT = Path(__file__).parents[2]
STAGES = ["read", "lock", "documents", "lexemes", "chunks", "verify"]
NUMBER = 400


def start(shelf: Shelf, edition: str) -> "subprocess.Popen[str]":
    program = [sys.executable, "-m", "tests.ingest.writer"]
    place = [shelf.database.ingest_url, shelf.tenant, shelf.library, edition, str(NUMBER)]
    return subprocess.Popen([*program, *place], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def kill_at(process: "subprocess.Popen[str]", stage: str, delay: float = 0.0) -> None:
    """Kill the writer some seconds after it said that it is at ``stage``."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == stage:
            break
    else:
        raise AssertionError(f"the writer never came to {stage}")
    time.sleep(delay)
    process.kill()
    process.wait()
    process.stdout.close()


def expect_first_edition(shelf: Shelf) -> None:
    assert shelf.audit(deep=False) == []
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.run(pipeline.stats(shelf.tenant, shelf.library)).documents == NUMBER
    [(second,)] = shelf.owner(
        "SELECT count(*)::int FROM ragspine.chunk JOIN ragspine.tenant USING (tenant_no)"
        " WHERE tenant = %(tenant)s AND text LIKE '%%edition second%%'"
    )
    assert second == 0


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_client_changes_nothing_and_the_next_ingest_completes(database: Database, stage: str) -> None:
    shelf = Shelf(database)
    shelf.ingest_all(documents("first", NUMBER))
    kill_at(start(shelf, "second"), stage)
    report = shelf.ingest_all(documents("first", NUMBER))
    assert report.unchanged == NUMBER
    expect_first_edition(shelf)
    report = shelf.ingest_all(documents("second", NUMBER))
    assert (report.changed, report.unchanged) == (266, 134)
    assert shelf.audit(deep=False) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_a_client_killed_at_a_random_moment_changes_nothing(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    shelf = Shelf(database)
    shelf.ingest_all(documents("first", NUMBER))
    kill_at(start(shelf, "second"), chance.choice(STAGES[:-1]), delay=chance.uniform(0, 0.05))
    # All or nothing: a client that is killed late may have committed, and then the whole second edition is there.
    assert shelf.ingest_all(documents("first", NUMBER)).changed in (0, 266)
    expect_first_edition(shelf)


def kill_server_at(home: Path, stage: str, delay: float) -> None:
    """The core: a server that dies with SIGKILL comes back with one edition whole, and the next ingest completes."""
    with EmbeddedServer.open(home) as server, clone(server, migrated_template(server, "public")) as database:
        shelf = Shelf(database)
        shelf.ingest_all(documents("first", NUMBER))
        writer = start(shelf, "second")
        assert writer.stdout is not None
        while writer.stdout.readline().strip() != stage:
            pass
        time.sleep(delay)
        postmaster = int((home / "cluster" / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(postmaster, signal.SIGKILL)
        committed = writer.wait(60) == 0
        writer.stdout.close()
        with EmbeddedServer.open(home):
            if not committed:
                # Late enough, the commit may have been made without its confirmation: then it is there whole.
                assert shelf.ingest_all(documents("first", NUMBER)).changed in (0, 266)
                expect_first_edition(shelf)
                assert shelf.ingest_all(documents("second", NUMBER)).changed == 266
            assert shelf.audit(deep=False) == []


def test_a_killed_server_comes_back_with_what_was_published(passable: Path) -> None:
    kill_server_at(passable / "server", "lexemes", 0.0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_a_server_killed_at_a_random_moment_comes_back_whole(passable: Path, seed: int) -> None:
    chance = random.Random(1000 + seed)
    kill_server_at(passable / "server", chance.choice(STAGES[:-1]), chance.uniform(0, 0.05))
