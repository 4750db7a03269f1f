"""Writes during a rebuild and a publish: none is lost, none counts twice, and what is published is what is stored."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import IngestError, NotFound, VersionNotReady
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up, discard, pending, pipeline, publish, relabel
from ragspine_pg.ingest.pending import Pending
from ragspine_pg.ingest.target import Target
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.ingest.edition import answers, audited, document, documents, twin, vectors_by_version
from tests.ingest.waiting import Waiting

CHANGES: dict[str, Any] = {"chunker_options": {"size": 150}, "analyzer": "simple"}
MADE: dict[str, Any] = {"embedding": "hashing"}
FRESH: dict[str, Any] = {**MADE, "analyzer": "simple", "profile": {"chunker_options": {"size": 150}}}


@pytest.fixture
def library(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    """A library with vectors; of ``d3`` there are none, since it is RESTRICTED."""
    made = spine.create_library(request.node.name, "books", **MADE)
    made.ingest([document(3, sensitivity="RESTRICTED") if item.id == "d3" else item for item in documents()])
    return made


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some documents a transaction."""
    monkeypatch.setattr(catch_up, "EMBEDDED_BATCH", (8, 100_000))


@pytest.fixture
def meddler(database: Database, library: Library) -> Iterator[Library]:
    """The same library, by connections of its own."""
    with open_spine(database) as other:
        yield other.library(library.tenant, library.library_id)


def meddle(library: Library) -> list[Document]:
    """Every kind of write; what is stored afterwards."""
    library.ingest([document(1, 2), document(90), document(4)])
    library.delete("d2")
    library.relabel("d8", readers={"group:staff"})
    library.relabel("d7", sensitivity="RESTRICTED")
    library.relabel("d3", sensitivity="INTERNAL")
    stored = {item.id: item for item in [*documents(), document(1, 2), document(90), document(3)]}
    stored["d8"] = document(8, readers={"group:staff"})
    stored["d7"] = document(7, sensitivity="RESTRICTED")
    del stored["d2"]
    return list(stored.values())


def before_the_locks(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], *, batch: int = 1) -> None:
    """Have ``act`` done once a batch has been read, cut, analysed and embedded, and before anything of it is locked."""
    right, seen = pending.lock_documents, []

    def flow(target: Target, read: Sequence[Pending]) -> Flow[None]:
        seen.append(len(read))
        if len(seen) == batch:
            act()
        yield from right(target, read)

    monkeypatch.setattr(pending, "lock_documents", flow)


def assert_as_afresh(spine: RagSpine, database: Database, library: Library, stored: list[Document]) -> None:
    assert audited(database, library) == []
    assert {version.state: version.pending for version in library.versions()}["published"] == 0
    assert answers(library) == answers(twin(spine, library, stored, **FRESH))
    assert set(vectors_by_version(database, library, "d7").values()) == {0}


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_writes_between_reading_and_locking_are_not_lost(
    spine: RagSpine, database: Database, library: Library, meddler: Library, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    stored: list[Document] = []
    before_the_locks(monkeypatch, lambda: stored.extend(meddle(meddler)), batch=batch)
    library.rebuild(**CHANGES)
    assert stored
    library.publish(2)
    assert_as_afresh(spine, database, library, stored)


def test_writes_between_reading_and_locking_have_teeth(
    spine: RagSpine, database: Database, library: Library, meddler: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgetful = pending._PLAN.text.replace("d.content_sha256 = s.content_sha256", "true")
    assert forgetful != pending._PLAN.text
    monkeypatch.setattr(pending, "_PLAN", replace(pending._PLAN, text=forgetful))
    with pytest.raises((AssertionError, IngestError)):
        test_writes_between_reading_and_locking_are_not_lost(spine, database, library, meddler, monkeypatch, 1)


@pytest.mark.parametrize("when", [0, 8, 24])
def test_writes_between_batches_are_not_lost(
    spine: RagSpine, database: Database, library: Library, meddler: Library, when: int
) -> None:
    stored: list[Document] = []

    def tell(progress: Progress) -> None:
        if progress.stage == "index" and progress.done == when and not stored:
            stored.extend(meddle(meddler))

    library.rebuild(**CHANGES, progress=tell)
    library.publish(2)
    assert_as_afresh(spine, database, library, stored)


def test_writes_after_a_rebuild_are_in_what_is_published(spine: RagSpine, database: Database, library: Library) -> None:
    library.rebuild(**CHANGES)
    stored = meddle(library)
    assert [version.pending for version in library.versions()] == [3, 0]
    library.publish(2)
    assert_as_afresh(spine, database, library, stored)
    library.rollback()
    assert audited(database, library) == []


def test_writes_while_a_publish_waits_for_its_locks_are_in_it(
    spine: RagSpine, database: Database, library: Library, meddler: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.rebuild(**CHANGES)
    right = publish.lock_versions
    stored: list[Document] = []

    def flow(target: Target) -> Flow[None]:
        if not stored:
            stored.extend(meddle(meddler))
        yield from right(target)

    monkeypatch.setattr(publish, "lock_versions", flow)
    library.publish(2)
    assert_as_afresh(spine, database, library, stored)


def test_much_that_comes_meanwhile_is_caught_up_without_the_locks(
    spine: RagSpine, database: Database, library: Library, meddler: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.rebuild(**CHANGES)
    right, rounds = publish.lock_versions, []

    def flow(target: Target) -> Flow[None]:
        rounds.append(pending_of(meddler))
        meddler.ingest(documents(24, edition=len(rounds) + 1, sensitivity="INTERNAL", readers=None))
        yield from right(target)

    monkeypatch.setattr(publish, "lock_versions", flow)
    library.publish(2)
    assert len(rounds) == 3, "the locks are given back twice, and then kept"
    monkeypatch.setattr(publish, "lock_versions", right)
    assert audited(database, library) == []
    stored = documents(24, edition=4, sensitivity="INTERNAL", readers=None)
    assert answers(library) == answers(twin(spine, library, stored, **FRESH))


def pending_of(library: Library) -> int:
    return library.versions()[0].pending


@pytest.mark.parametrize(
    ("act", "embedded"),
    [
        (lambda library: library.ingest([document(1, 2)]), True),
        (lambda library: library.delete("d1"), False),
        (lambda library: library.relabel("d1", sensitivity="RESTRICTED"), False),
    ],
    ids=["ingest", "delete", "relabel"],
)
def test_a_writer_waits_for_the_batch_that_holds_its_document(
    database: Database,
    library: Library,
    meddler: Library,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Library], Any],
    embedded: bool,
) -> None:
    writer = Waiting(lambda: act(meddler))
    right = pending.plan

    def flow(target: Target, read: Sequence[Pending]) -> Flow[list[int]]:
        if writer.ident is None and "d1" in {item.document.id for item in read}:
            writer.waits()
        return (yield from right(target, read))

    monkeypatch.setattr(pending, "plan", flow)
    library.rebuild(**CHANGES)
    writer.ends()
    library.publish(2)
    assert audited(database, library) == []
    assert any(vectors_by_version(database, library, "d1").values()) == embedded


def test_a_writer_of_other_documents_does_not_wait_for_a_batch(
    database: Database, library: Library, meddler: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = pending.plan
    done: list[int] = []

    def flow(target: Target, read: Sequence[Pending]) -> Flow[list[int]]:
        if not done:
            other = next(f"d{key}" for key in range(24) if f"d{key}" not in {item.document.id for item in read})
            done.append(meddler.relabel(other, readers={"group:z"}))
            done.append(meddler.ingest([document(77), document(int(other[1:]), 5)]).documents)
            done.append(meddler.delete(other))
        return (yield from right(target, read))

    monkeypatch.setattr(pending, "plan", flow)
    library.rebuild(**CHANGES)
    assert done == [True, 2, True]
    library.publish(2)
    assert audited(database, library) == []


def assert_new_documents_are_seen(library: Library, meddler: Library, database: Database) -> None:
    """The core: an ingest has everything written and nothing committed when a rebuild begins."""
    rebuilding = Waiting(lambda: meddler.rebuild(**CHANGES))

    def hold(progress: Progress) -> None:
        if progress.stage == "verify" and rebuilding.ident is None:
            rebuilding.waits()

    library.ingest([document(60), document(1, 2)], progress=hold)
    rebuilding.ends()
    library.publish(2)
    assert audited(database, library) == []


def test_a_rebuild_begins_with_all_documents(library: Library, meddler: Library, database: Database) -> None:
    assert_new_documents_are_seen(library, meddler, database)


def test_a_rebuild_begins_with_all_documents_has_teeth(
    library: Library, meddler: Library, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "_LOCK_VERSIONS", replace(publish._LOCK_VERSIONS, text="SELECT 0"))
    monkeypatch.setattr(Waiting, "waits", lambda self: (self.start(), self.join(5)))
    with pytest.raises((AssertionError, IngestError)):
        assert_new_documents_are_seen(library, meddler, database)


def assert_relabels_and_publishes_keep_apart(
    library: Library, meddler: Library, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The core: a relabel has read which version is published when another one is to be."""
    library.rebuild(**CHANGES)
    publishing = Waiting(lambda: meddler.publish(2))
    right = relabel.relabel

    def flow(*arguments: Any) -> Flow[Any]:
        publishing.waits()
        return (yield from right(*arguments))

    monkeypatch.setattr(pipeline, "relabel", flow)
    library.relabel("d3", sensitivity="INTERNAL")
    publishing.ends()
    assert audited(database, library) == []
    assert vectors_by_version(database, library, "d3")[2] > 0


def test_a_relabel_and_a_publish_leave_no_vector_out(
    library: Library, meddler: Library, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_relabels_and_publishes_keep_apart(library, meddler, database, monkeypatch)


def test_a_relabel_and_a_publish_have_teeth(
    library: Library, meddler: Library, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(tenant: str, library_id: str) -> Flow[None]:
        yield from ()

    monkeypatch.setattr(pipeline, "hold_published", nothing)
    monkeypatch.setattr(Waiting, "waits", lambda self: (self.start(), self.join(20)))
    with pytest.raises(AssertionError):
        assert_relabels_and_publishes_keep_apart(library, meddler, database, monkeypatch)


def test_two_rebuilds_of_one_profile_share_the_work(library: Library, meddler: Library, database: Database) -> None:
    reports = []
    together = threading.Barrier(2)

    def rebuild(by: Library) -> Callable[[], None]:
        def act() -> None:
            together.wait(30)
            reports.append(by.rebuild(**CHANGES))

        return act

    both = [Waiting(rebuild(by)) for by in (library, meddler)]
    for one in both:
        one.start()
    for one in both:
        one.ends()
    assert {report.version for report in reports} == {2}
    assert sorted(report.resumed for report in reports) == [False, True]
    assert sum(report.documents for report in reports) == 24
    library.publish(2)
    assert audited(database, library) == []


def test_a_rebuild_with_another_profile_ends_the_one_that_runs(
    library: Library, meddler: Library, database: Database
) -> None:
    def interfere(progress: Progress) -> None:
        if progress.done == 8:
            assert meddler.rebuild(analyzer="cjk").version == 3

    with pytest.raises(VersionNotReady, match="another profile"):
        library.rebuild(**CHANGES, progress=interfere)
    library.publish(3)
    assert [version.version for version in library.versions()] == [3, 1]
    assert audited(database, library) == []


def test_two_publishes_at_once_both_succeed(library: Library, meddler: Library, database: Database) -> None:
    library.rebuild(**CHANGES)
    library.ingest([document(70)])
    together = threading.Barrier(2)

    def act(by: Library) -> Callable[[], object]:
        return lambda: (together.wait(30), by.publish(2))

    both = [Waiting(act(by)) for by in (library, meddler)]
    for one in both:
        one.start()
    for one in both:
        one.ends()
    assert [version.state for version in library.versions()] == ["published", "retired"]
    assert audited(database, library) == []


def test_a_library_is_dropped_during_a_rebuild(spine: RagSpine, library: Library, meddler: Library) -> None:
    def drop(progress: Progress) -> None:
        if progress.done == 8:
            meddler.drop()

    with pytest.raises(NotFound, match="was dropped while it was rebuilt"):
        library.rebuild(**CHANGES, progress=drop)
    assert spine.ingestor.libraries(library.tenant) == []


def test_a_deleted_version_hinders_no_relabel(
    library: Library, meddler: Library, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both touch the same rows; the documents are locked first, so neither waits for the other for good."""
    monkeypatch.setattr(discard, "SLICE", 2)
    library.rebuild(**CHANGES)
    stop = threading.Event()

    def relabels() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            for key in range(0, 24, 5):
                meddler.relabel(f"d{key}", readers={f"group:{number % 7}"})

    busy = Waiting(relabels)
    busy.start()
    try:
        for size in (160, 170, 180, 190):
            library.rebuild(chunker_options={"size": size})  # drops the one before
    finally:
        stop.set()
        busy.ends()
    assert [version.state for version in library.versions()] == ["verified", "published"]
    assert audited(database, library) == []
    assert library.search("foxes", access=Access(library.tenant, {"group:staff"})).hits
