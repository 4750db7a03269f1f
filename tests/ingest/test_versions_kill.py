"""A client or server killed in the middle of a rebuild or publish: nothing is lost or mixed, and the call goes on."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragspine_pg import RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.ingest import catch_up, discard
from tests.fixtures.database import Database, clone, migrated_template
from tests.fixtures.spine import open_spine
from tests.ingest.edition import answers, audited, chunks_by_version, document, documents, twin
from tests.ingest.rebuilder import SIZE

ROOT = Path(__file__).parents[2]
POINTS = ["begin", "index 0", "index 20", "index 40", "check 0", "publish"]
NUMBER = 48
FRESH = {"embedding": "hashing", "profile": {"chunker_options": {"size": SIZE}}}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the program has them."""
    monkeypatch.setattr(catch_up, "EMBEDDED_BATCH", (10, 100_000))
    monkeypatch.setattr(discard, "SLICE", 10)


def filled(spine: RagSpine, tenant: str) -> Library:
    """A library that has been published three times, so that the next publish drops a version."""
    library = spine.create_library(tenant, "books", embedding="hashing")
    library.ingest(documents(NUMBER))
    for number, size in ((2, 400), (3, 500)):
        library.rebuild(chunker_options={"size": size})
        library.publish(number)
    library.ingest([document(1, 2)])
    return library


def start(database: Database, library: Library) -> "subprocess.Popen[str]":
    program = [sys.executable, "-m", "tests.ingest.rebuilder", database.ingest_url, library.tenant, library.library_id]
    return subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def wait_for(process: "subprocess.Popen[str]", point: str, delay: float) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == point:
            break
    else:
        raise AssertionError(f"the rebuild never came to {point}")
    time.sleep(delay)


def expect_whole(spine: RagSpine, database: Database, library: Library, tenant: str) -> None:
    """The core: after a kill all is sound and one version answers; the same calls, made again, come to their end."""
    stored = [*documents(NUMBER)[:1], document(1, 2), *documents(NUMBER)[2:]]
    old = answers(twin(spine, library, stored, embedding="hashing", profile={"chunker_options": {"size": 500}}))
    library.spine.ingestor.drop_library(f"{library.tenant}-fresh", "books")
    new = answers(twin(spine, library, stored, **FRESH))
    assert audited(database, library) == []
    published = next(version for version in library.versions() if version.state == "published")
    assert published.version in (3, 4)
    assert answers(library) == (old if published.version == 3 else new)
    library.ingest([document(2)])  # writes go on, whatever is half done
    if published.version == 3:
        report = library.rebuild(chunker_options={"size": SIZE})
        assert report.version == 4
        library.publish(4)
    library.publish(4)
    assert answers(library) == new
    assert [(v.version, v.state) for v in library.versions()] == [(4, "published"), (3, "retired"), (2, "retired")]
    assert set(chunks_by_version(database, library)) == {2, 3, 4}
    assert audited(database, library) == []
    library.rollback()
    assert answers(library) == old
    assert audited(database, library) == []


def kill_client(spine: RagSpine, database: Database, tenant: str, point: str, delay: float) -> None:
    library = filled(spine, tenant)
    process = start(database, library)
    wait_for(process, point, delay)
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    expect_whole(spine, database, library, tenant)


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_rebuild_or_publish_leaves_all_whole_and_goes_on(
    spine: RagSpine, database: Database, point: str
) -> None:
    kill_client(spine, database, f"killed at {point}", point, 0.0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(30))
def test_a_rebuild_or_publish_killed_at_a_random_moment_leaves_all_whole(
    spine: RagSpine, database: Database, seed: int
) -> None:
    chance = random.Random(seed)
    kill_client(spine, database, f"killed by {seed}", chance.choice(POINTS), chance.uniform(0, 0.25))


def kill_server(home: Path, point: str, delay: float) -> None:
    """The same with the server: it comes back, and so must everything."""
    with EmbeddedServer.open(home) as server, clone(server, migrated_template(server, "public")) as database:
        with open_spine(database) as spine:
            library = filled(spine, "killed")
        process = start(database, library)
        wait_for(process, point, delay)
        postmaster = int((home / "cluster" / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(postmaster, signal.SIGKILL)
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()
        with EmbeddedServer.open(home), open_spine(database) as spine:
            expect_whole(spine, database, spine.library("killed", "books"), "killed")


def test_a_killed_server_comes_back_with_every_version_whole(passable: Path) -> None:
    kill_server(passable / "server", "index 20", 0.02)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_server_killed_at_a_random_moment_comes_back_with_every_version_whole(passable: Path, seed: int) -> None:
    chance = random.Random(2000 + seed)
    kill_server(passable / "server", chance.choice(POINTS), chance.uniform(0, 0.25))
