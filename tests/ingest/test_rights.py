"""Deletes and relabels: in force at commit, in every statistic, without waiting for others."""

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.errors import InvalidDocument, NotFound
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Statement
from ragspine_pg.ingest import pipeline
from ragspine_pg.ingest import relabel as relabel_stage
from tests.fixtures.pooler import not_behind
from tests.ingest.shelf import Shelf

PROSE = "\n\n".join(f"Paragraph {number} of foxes and owls at night." for number in range(60))


def test_a_deleted_document_leaves_nothing_behind(shelf: Shelf) -> None:
    shelf.ingest(Document("gone", PROSE, title="Gone"), Document("kept", "A fox."))
    assert shelf.delete("gone")
    assert shelf.rows_of("gone") == []
    assert shelf.owner(
        "SELECT count(*)::int FROM ragspine.chunk_lexical JOIN ragspine.tenant USING (tenant_no)"
        " WHERE tenant = %(tenant)s"
    ) == [(1,)]
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []
    assert not shelf.delete("gone")
    assert shelf.ingest(Document("gone", PROSE, title="Gone")).added == 1


def test_a_relabel_moves_rows_and_statistics_to_the_new_class(shelf: Shelf) -> None:
    shelf.ingest(Document("a", PROSE), Document("b", "A fox."))
    assert shelf.relabel("a", readers={"group:x"}, sensitivity="RESTRICTED")
    assert not shelf.relabel("a", readers={"group:x"}, sensitivity=Sensitivity.RESTRICTED)
    classes = {found.sensitivity: found for found in shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes}
    assert classes[Sensitivity.RESTRICTED].readers == frozenset({"group:x"})
    assert (classes[Sensitivity.RESTRICTED].documents, classes[Sensitivity.INTERNAL].documents) == (1, 1)
    assert classes[Sensitivity.RESTRICTED].chunks > 1
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def test_what_is_not_named_stays(shelf: Shelf) -> None:
    shelf.ingest(Document("a", "text", readers={"u"}, sensitivity="PUBLIC"))
    shelf.relabel("a", sensitivity="CONFIDENTIAL")
    [found] = shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes
    assert (found.sensitivity, found.readers) == (Sensitivity.CONFIDENTIAL, frozenset({"u"}))
    shelf.relabel("a", readers=None)
    [found] = shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes
    assert (found.sensitivity, found.readers) == (Sensitivity.CONFIDENTIAL, None)


def test_an_unknown_document_a_string_of_readers_and_a_padded_label_are_errors(shelf: Shelf) -> None:
    shelf.ingest(Document("a", "text"))
    with pytest.raises(NotFound):
        shelf.relabel("b", readers=None)
    with pytest.raises(InvalidDocument):
        shelf.relabel("a", readers="group:x")
    with pytest.raises(InvalidDocument):
        shelf.relabel("a", sensitivity=" PUBLIC")


@not_behind
@pytest.mark.parametrize("at", ["read", "lock", "chunks", "verify"])
def test_relabel_and_delete_do_not_wait_for_an_ingest_of_other_documents(shelf: Shelf, at: str) -> None:
    shelf.ingest(Document("a", PROSE), Document("b", PROSE), Document("c", PROSE))
    done = []

    def act(progress: Progress) -> None:
        if progress.stage == at:
            with psycopg.connect(shelf.database.ingest_url, options="-c lock_timeout=2s") as connection:
                run(pipeline.relabel_document(shelf.tenant, shelf.library, "a", readers={"u"}), connection)
                run(pipeline.delete_document(shelf.tenant, shelf.library, "b"), connection)
            done.append(at)

    shelf.ingest(Document("c", "New."), Document("d", PROSE), progress=act)
    assert done
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def relabel_twice_at_once(shelf: Shelf) -> None:
    """The core: a second relabel begins while the first is not committed; afterwards the sums must be exact."""
    shelf.ingest(Document("a", PROSE), Document("b", "A fox."))
    second = threading.Thread(target=lambda: shelf.relabel("a", readers={"second"}))
    with psycopg.connect(shelf.database.ingest_url) as connection:
        run(pipeline.relabel_document(shelf.tenant, shelf.library, "a", readers={"first"}), connection)
        second.start()
        wait_until_blocked(shelf)
    second.join(30)
    classes = shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes
    assert frozenset({"second"}) in [found.readers for found in classes]
    assert shelf.stored_statistics() == shelf.recounted_statistics()


def test_two_relabels_at_once_subtract_once_each(shelf: Shelf) -> None:
    relabel_twice_at_once(shelf)
    assert shelf.audit() == []


def test_an_ingest_that_keeps_one_right_and_a_relabel_do_not_deadlock(shelf: Shelf) -> None:
    """Both want a class that the holder's relabel made thinkable; the ingest must not make it after it locked."""
    shelf.ingest(Document("a", PROSE))
    failed: list[BaseException] = []

    def attempt(act: Callable[[], object]) -> threading.Thread:
        def acting() -> None:
            try:
                act()
            except BaseException as error:  # noqa: BLE001 - handed to the test
                failed.append(error)

        thread = threading.Thread(target=acting)
        thread.start()
        time.sleep(0.3)  # until it waits for the holder
        return thread

    with psycopg.connect(shelf.database.ingest_url) as holder:
        run(pipeline.relabel_document(shelf.tenant, shelf.library, "a", sensitivity="CONFIDENTIAL"), holder)
        kept = Document("a", PROSE, readers={"r"}, keep={"sensitivity"})
        threads = [
            attempt(lambda: shelf.ingest(kept)),
            attempt(lambda: shelf.relabel("a", readers={"r"}, sensitivity="CONFIDENTIAL")),
        ]
    for thread in threads:
        thread.join(30)
    assert failed == []
    assert shelf.audit() == []


def test_two_relabels_at_once_have_teeth(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked: Statement[Any] = Statement("no lock", "SELECT 1", lambda *row: row)
    monkeypatch.setattr(relabel_stage, "_LOCK", unlocked)
    with pytest.raises(AssertionError):
        relabel_twice_at_once(shelf)


def test_a_relabel_that_waited_keeps_what_the_other_changed(shelf: Shelf) -> None:
    shelf.ingest(Document("a", PROSE))
    second = threading.Thread(target=lambda: shelf.relabel("a", sensitivity="PUBLIC"))
    with psycopg.connect(shelf.database.ingest_url) as connection:
        run(pipeline.relabel_document(shelf.tenant, shelf.library, "a", readers={"first"}), connection)
        second.start()
        wait_until_blocked(shelf)
    second.join(30)
    [found] = shelf.run(pipeline.stats(shelf.tenant, shelf.library)).classes
    assert (found.sensitivity, found.readers) == (Sensitivity.PUBLIC, frozenset({"first"}))
    assert shelf.audit() == []


def test_an_ingest_that_waited_for_a_delete_adds_the_document_again(shelf: Shelf) -> None:
    shelf.ingest(Document("a", PROSE))
    reports = []
    ingest = threading.Thread(target=lambda: reports.append(shelf.ingest(Document("a", PROSE))))
    with psycopg.connect(shelf.database.ingest_url) as connection:
        run(pipeline.delete_document(shelf.tenant, shelf.library, "a"), connection)
        ingest.start()
        wait_until_blocked(shelf)
    ingest.join(30)
    assert [report.added for report in reports] == [1]
    assert shelf.audit() == []


def test_writers_at_once_neither_deadlock_nor_lose_a_count(shelf: Shelf) -> None:
    ids = [f"d{number}" for number in range(8)]
    shelf.ingest(*[Document(key, f"{PROSE} {key}") for key in ids])
    failures: list[Exception] = []

    def repeatedly(act: Callable[[int], object]) -> None:
        try:
            for turn in range(6):
                act(turn)
        except Exception as failure:  # noqa: BLE001
            failures.append(failure)

    def ingest(turn: int) -> None:
        shelf.ingest(*[Document(key, f"fox {turn} {key}", readers={f"r{turn % 3}"}) for key in ids])

    def ingest_backwards(turn: int) -> None:
        shelf.ingest(*[Document(key, f"owl {turn} {key}", readers={f"r{2 - turn % 3}"}) for key in reversed(ids)])

    def relabel(turn: int) -> None:
        for key in ids:
            try:
                shelf.relabel(key, readers={f"r{turn % 4}"})
            except NotFound:
                continue

    def delete(turn: int) -> None:
        shelf.delete(ids[turn])
        shelf.run(pipeline.optimize(shelf.tenant, shelf.library))

    threads = [threading.Thread(target=repeatedly, args=[act]) for act in (ingest, ingest_backwards, relabel, delete)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []
    assert shelf.stored_statistics() == shelf.recounted_statistics()
    assert shelf.audit() == []


def wait_until_blocked(shelf: Shelf) -> None:
    """Until a session of this database waits for a lock."""
    for _ in range(400):
        with psycopg.connect(shelf.database.superuser_url) as connection:
            row = connection.execute(
                "SELECT count(*)::int, pg_sleep(0.02) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).fetchone()
        if row is not None and row[0]:
            return
    raise AssertionError("nobody waits for a lock")
