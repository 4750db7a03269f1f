"""Rebuilds and publishes beside writers that never rest, and beside a library that is dropped."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ragspine_pg import RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import NotFound
from ragspine_pg.flow.job import Job, run_job
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up, versioning
from ragspine_pg.ingest.change import ProfileChanges
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.ingest.edition import answers, audited, document, documents, twin
from tests.ingest.waiting import Waiting

CHANGES: dict[str, Any] = {"chunker_options": {"size": 150}, "analyzer": "simple"}
FRESH: dict[str, Any] = {"analyzer": "simple", "profile": {"chunker_options": {"size": 150}}}
BATCH = 8


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catch_up, "BATCH", (BATCH, 100_000))


@pytest.fixture
def library(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    made = spine.create_library(request.node.name, "books")
    made.ingest(documents())
    return made


@pytest.fixture
def meddler(database: Database, library: Library) -> Iterator[Library]:
    """The same library, by connections of its own."""
    with open_spine(database) as other:
        yield other.library(library.tenant, library.library_id)


class Writer:
    """Stores a batch with each batch that is caught up, of documents that change and of new ones: as fast as it."""

    def __init__(self, library: Library, limit: int = 40) -> None:
        self.library, self.limit, self.editions = library, limit, 0

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "index":
            self.write()

    def write(self) -> None:
        self.editions += 1
        assert self.editions < self.limit, "the writer would go on for ever, and so would the call"
        # d1 to d7 have low numbers: what is read in the order of numbers could be these alone, again and again.
        changed = [document(key, 1 + self.editions) for key in (1, 2, 4, 5, 7)]
        self.library.ingest([*changed, *(document(1000 * self.editions + key) for key in range(BATCH))])


def test_a_rebuild_ends_beside_a_faster_writer(
    spine: RagSpine, library: Library, meddler: Library, database: Database
) -> None:
    writer = Writer(meddler)
    report = library.rebuild(**CHANGES, progress=writer)
    assert report.documents >= 24, "one pass at least goes over everything"
    assert report.pending == library.versions()[0].pending > 0
    assert library.versions()[0].state == "verified"
    library.publish(report.version)
    assert audited(database, library) == []
    new = [document(1000 * edition + key) for edition in range(1, writer.editions + 1) for key in range(BATCH)]
    changed = [document(key, 1 + writer.editions) for key in (1, 2, 4, 5, 7)]
    stored = {item.id: item for item in [*documents(), *new, *changed]}
    assert answers(library) == answers(twin(spine, library, stored.values(), **FRESH))


def test_a_publish_ends_beside_a_faster_writer(library: Library, meddler: Library, database: Database) -> None:
    library.rebuild(**CHANGES)
    library.ingest(documents(24, edition=2))
    writer = Writer(meddler)
    library.publish(2, progress=writer)
    assert writer.editions > 3
    assert {version.state: version.pending for version in library.versions()}["published"] == 0
    assert audited(database, library) == []


def test_a_rebuild_goes_on_in_passes_while_they_shrink(library: Library, meddler: Library) -> None:
    """A writer that slows down is caught up with by the rebuild itself."""
    keys = iter([(), (1, 2, 4, 5), (), (), (1, 2), (1,)])
    told = []

    def tell(progress: Progress) -> None:
        if progress.stage == "index":
            told.append((progress.done, progress.total))
            meddler.ingest(document(key, 1 + len(told)) for key in next(keys, ()))

    report = library.rebuild(**CHANGES, progress=tell)
    assert (report.documents, report.pending) == (31, 0)
    assert told == [(0, 24), (8, 24), (16, 24), (24, 24), (28, 28), (30, 30), (31, 31)]


@pytest.mark.soak
def test_rebuilds_and_publishes_end_beside_threads_that_write_all_the_time(
    library: Library, meddler: Library, database: Database
) -> None:
    stop = threading.Event()

    def write(first: int) -> None:
        edition = 2
        while not stop.is_set():
            edition += 1
            meddler.ingest([document(key, edition) for key in range(first, 60, 2)])

    writers = [Waiting(lambda first=first: write(first)) for first in (0, 1)]  # type: ignore[misc]
    for writer in writers:
        writer.start()
    try:
        for size in (150, 160, 170, 180):
            library.publish(library.rebuild(chunker_options={"size": size}).version)
    finally:
        stop.set()
        for writer in writers:
            writer.ends()
    assert audited(database, library) == []


def told_by(job: Job[Any], library: Library, at: int, act: Any) -> tuple[str | None, bool]:
    """Run a job, with ``act`` done before its transaction number ``at``: what it was refused by, and whether it had so
    many.
    """
    count = 0

    def drive(flow: Flow[Any]) -> Any:
        nonlocal count
        if count == at:
            act()
        count += 1
        return library.spine.ingestor._drive(flow, read_only=False)

    try:
        run_job(job, drive)
    except NotFound as error:
        return str(error), count > at
    return None, count > at


def test_a_library_that_is_dropped_meanwhile_is_told_by_its_name_at_every_step(
    spine: RagSpine, request: pytest.FixtureRequest
) -> None:
    models = spine.ingestor._models
    tenant = request.node.name
    for kind in ("rebuild", "publish"):
        at, more = 0, True
        while more:
            library = spine.create_library(tenant, f"{kind}-{at}")
            library.ingest(documents(10))
            job: Job[Any]
            if kind == "rebuild":
                job = versioning.rebuild(tenant, library.library_id, ProfileChanges(analyzer="simple"), models=models)
            else:
                version = library.rebuild(analyzer="simple").version
                library.ingest([document(1, 2)])
                job = versioning.publish(tenant, library.library_id, version, models=models)
            told, more = told_by(job, library, at, library.drop)
            name = f"{tenant}/{library.library_id}"
            assert told in (None, f"{name} was dropped while it was rebuilt", f"there is no library {name}")
            assert (told is None) <= (not more), "a call that lost its library says so"
            at += 1
        assert at > 5
