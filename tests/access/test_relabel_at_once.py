"""Relabels beside each other, beside searches that are under way, and beside versions that come and go."""

import asyncio
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from ragspine_pg import AsyncRagSpine, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.connect import lazy
from ragspine_pg.connect.transaction import BEGIN_READING
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import UnavailableError
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow, Statement
from ragspine_pg.ingest import catch_up, pipeline, verify
from ragspine_pg.ingest import relabel as relabel_stage
from ragspine_pg.ingest.target import Target
from ragspine_pg.retrieval import pipeline as search_pipeline
from ragspine_pg.retrieval import rank as ranking
from tests.access import moved, world
from tests.access.moved import MOVED, WITH_VECTORS, Doors, Shown, callers, hits_of
from tests.fixtures.database import Database
from tests.fixtures.spine import edited_function
from tests.ingest.edition import audited, owner, vectors_by_version
from tests.ingest.waiting import Waiting

MODES = {name: WITH_VECTORS[name] for name in ("economy", "vector", "hybrid")}
NOTHING: Statement[Any] = Statement("nothing", "SELECT 0 WHERE false", lambda *row: row)


@dataclass(frozen=True)
class Shelf:
    """A library with the document open to all, and what callers get with it and without it."""

    library: Library
    without: Shown
    open_to_all: Shown

    @classmethod
    def made(cls, doors: Doors, tenant: str, modes: moved.Modes = MODES) -> "Shelf":
        library = doors.build(tenant, modes, "parent_child")
        without = doors.shown_by_sql(library, modes)
        library.ingest([MOVED])
        open_to_all = doors.shown_by_sql(library, modes)
        assert all(hits_of(answer) for answer in open_to_all.values())
        return cls(library, without, open_to_all)


# Beside each other.

READERS = (None, frozenset({"group:staff"}), frozenset({"group:finance"}), frozenset({"user:eve"}))
LABELS = ("PUBLIC", "INTERNAL", "RESTRICTED")
THREADS, TURNS = 8, 10


def rights_of(database: Database, tenant: str) -> tuple[frozenset[str] | None, str]:
    """The document's readers and label, as they are stored."""
    [(members, readers, label)] = owner(
        database,
        "SELECT k.open_to_members, ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r"
        " WHERE r.tenant_no = k.tenant_no AND r.acl_class_no = k.acl_class_no), k.sensitivity"
        " FROM ragspine.tenant AS t JOIN ragspine.document AS d USING (tenant_no)"
        " JOIN ragspine.acl_class AS k USING (tenant_no, acl_class_no)"
        " WHERE t.tenant = %(tenant)s AND d.document_id = 'moved'",
        tenant=tenant,
    )
    return None if members else frozenset(readers), label


def assert_the_last_one_wins(doors: Doors, tenant: str) -> None:
    """The core: many threads relabel one document, some its readers, some its label, some both.

    Each notes what it did while it still holds the document, so the notes are in the order of the commits.
    """
    library = Shelf.made(doors, tenant).library
    models = doors.spine.ingestor._models
    notes: list[dict[str, Any]] = []
    together = threading.Barrier(THREADS)

    def relabel(seed: int) -> None:
        draw = random.Random(seed)
        with psycopg.connect(doors.database.ingest_url, prepare_threshold=None) as connection:
            together.wait(30)
            for _ in range(TURNS):
                both = {"readers": draw.choice(READERS), "sensitivity": draw.choice(LABELS)}
                kept = draw.choice([["readers"], ["sensitivity"], ["readers", "sensitivity"]])
                rights: dict[str, Any] = {name: both[name] for name in kept}
                flow = pipeline.relabel_document(tenant, "handbook", "moved", models=models, **rights)
                run(flow, connection)
                notes.append(rights)
                connection.commit()

    threads = [Waiting(lambda seed=seed: relabel(seed)) for seed in range(THREADS)]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.ends()
    assert len(notes) == THREADS * TURNS
    last: dict[str, Any] = {"readers": None, "sensitivity": "INTERNAL"}
    for rights in notes:
        last |= rights
    assert rights_of(doors.database, tenant) == (last["readers"], last["sensitivity"])
    assert audited(doors.database, library) == []


def test_of_many_relabels_of_one_document_the_last_one_wins(doors: Doors, tenant: str) -> None:
    assert_the_last_one_wins(doors, tenant)


PLANTED = {
    "no lock": ("yield from fetch(_LOCK, **place)", "pass"),
    "the class of before the lock": ("if under_lock != found:", "if False:"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_last_one_wins_has_teeth(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(pipeline, "relabel", edited_function(relabel_stage.relabel, PLANTED[name]))
    with pytest.raises((AssertionError, UnavailableError)):  # without the lock, some give way to a deadlock
        assert_the_last_one_wins(doors, tenant)


# Beside searches: whoever has a snapshot keeps it, whole.

CHANGES: dict[str, Callable[[Library], object]] = {
    "raised": lambda library: library.relabel("moved", sensitivity="RESTRICTED"),
    "taken away": lambda library: library.relabel("moved", readers={"group:board"}),
    "deleted": lambda library: library.delete("moved"),
    "raised and lowered": lambda library: [
        library.relabel("moved", sensitivity=label) for label in ("RESTRICTED", "INTERNAL", "RESTRICTED")
    ],
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_snapshot_that_is_open_stays_as_it_was(doors: Doors, tenant: str, change: str) -> None:
    shelf = Shelf.made(doors, tenant)
    with psycopg.connect(doors.database.reader_url, prepare_threshold=None) as lent:
        lent.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with RagSpine.open(lent, grant_key=doors.database.grant_key) as spine:

            def shown() -> Shown:
                found: Shown = {}
                for name, mode in MODES.items():
                    for caller, access in callers(tenant).items():
                        found[name, caller] = moved.ask(spine, access, mode)
                        assert moved.ask_sql(lent, spine.grant(access), mode) == found[name, caller]
                return found

            lent.execute("SELECT 1")  # the snapshot is of now, and the transaction is the lender's
            CHANGES[change](shelf.library)
            assert shown() == shelf.open_to_all
            assert doors.shown_by_sql(shelf.library, MODES) == shelf.without
            assert shown() == shelf.open_to_all
            lent.commit()
            assert shown() == shelf.without


def test_a_snapshot_that_is_open_stays_as_it_was_when_awaited(doors: Doors, tenant: str) -> None:
    shelf = Shelf.made(doors, tenant)
    found: list[str] = []

    async def body() -> None:
        async with await psycopg.AsyncConnection.connect(doors.database.reader_url, prepare_threshold=None) as lent:
            await lent.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            async with await AsyncRagSpine.open(lent, grant_key=doors.database.grant_key) as spine:
                access = callers(tenant)["outsider"]
                await lent.execute("SELECT 1")
                shelf.library.relabel("moved", sensitivity="RESTRICTED")
                for _ in range(2):
                    found.append(await moved.ask_awaited(spine, access, MODES["hybrid"]))
                await lent.commit()
                found.append(await moved.ask_awaited(spine, access, MODES["hybrid"]))

    asyncio.run(body())
    key = ("hybrid", "outsider")
    assert found == [shelf.open_to_all[key], shelf.open_to_all[key], shelf.without[key]]


def assert_a_search_under_way_is_whole(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core: a relabel comes when a search has its rankings and not yet their texts."""
    shelf = Shelf.made(doors, tenant)
    right, acts = ranking.rank, 0

    def rank(*arguments: Any) -> Any:
        nonlocal acts
        acts += 1
        shelf.library.relabel("moved", sensitivity="RESTRICTED")
        return right(*arguments)

    for name, mode in MODES.items():
        for caller, access in callers(tenant).items():
            with monkeypatch.context() as patched:
                patched.setattr(search_pipeline, "rank", rank)
                assert doors.by_facade(access, mode) == shelf.open_to_all[name, caller]
            assert doors.by_facade(access, mode) == shelf.without[name, caller]
            shelf.library.relabel("moved", sensitivity="INTERNAL")
    assert acts == len(MODES) * len(callers(tenant))


def test_a_search_under_way_shows_all_of_what_was(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_a_search_under_way_is_whole(doors, tenant, monkeypatch)


def test_a_search_under_way_has_teeth(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a transaction without a snapshot of its own."""
    loose = BEGIN_READING.replace("REPEATABLE READ", "READ COMMITTED")
    assert loose != BEGIN_READING
    monkeypatch.setattr(lazy, "BEGIN_READING", loose)
    with pytest.raises(AssertionError):
        assert_a_search_under_way_is_whole(doors, tenant, monkeypatch)


# Beside versions: a relabel reaches each of them.


def documents_shown(doors: Doors, library: Library) -> dict[str, set[str]]:
    """Ids of the documents that callers are shown, the same in every mode and by every door."""
    found: dict[str, set[str]] = {}
    for (_, caller), answer in doors.shown(library, MODES).items():
        shown = set(world.documents_in(answer))
        assert found.setdefault(caller, shown) == shown
    return found


def assert_every_version_follows(doors: Doors, tenant: str) -> None:
    """The core: raised and lowered while one version is published, one waits, and one is being built."""
    library = Shelf.made(doors, tenant).library
    with_it = documents_shown(doors, library)
    without_it = {caller: shown - {"moved"} for caller, shown in with_it.items()}
    changes: dict[str, Any] = {"chunker": "default", "chunker_options": {"size": 80}, "analyzer": "simple"}

    def vectors() -> list[bool]:
        return [number > 0 for _, number in sorted(vectors_by_version(doors.database, library, "moved").items())]

    told: list[int] = []

    def meddle(progress: Progress) -> None:
        if progress.stage == "index" and progress.done:
            told.append(progress.done)
            library.relabel("moved", sensitivity="INTERNAL" if len(told) % 2 else "RESTRICTED")
            assert documents_shown(doors, library) == (with_it if len(told) % 2 else without_it)

    library.relabel("moved", sensitivity="RESTRICTED")
    library.rebuild(**changes, progress=meddle)
    assert len(told) > 1, "it was relabelled while the version was built"
    library.relabel("moved", sensitivity="RESTRICTED")
    assert audited(doors.database, library) == []
    assert vectors() == [False, False]
    library.publish(2)
    assert documents_shown(doors, library) == without_it
    library.relabel("moved", sensitivity="INTERNAL")
    assert documents_shown(doors, library) == with_it
    library.rollback()
    assert documents_shown(doors, library) == with_it
    assert vectors() == [True, True]
    library.relabel("moved", readers={"group:finance"}, sensitivity="CONFIDENTIAL")
    for _ in range(2):
        library.rollback()
        assert documents_shown(doors, library) == without_it | {"finance": with_it["finance"]}
    library.relabel("moved", sensitivity="RESTRICTED")
    assert vectors() == [False, False]
    library.rollback()
    assert documents_shown(doors, library) == without_it
    assert audited(doors.database, library) == []


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catch_up, "EMBEDDED_BATCH", (2, 100_000))


@pytest.mark.usefixtures("small_batches")
def test_a_relabel_reaches_every_version(doors: Doors, tenant: str) -> None:
    assert_every_version_follows(doors, tenant)


def unaudited(target: Target) -> Flow[list[Any]]:
    """What a rebuild itself would find has to be seen from outside."""
    yield from ()
    return []


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("statement", ["_RELABEL_EMBEDDINGS", "_RELABEL_PENDING", "_MOVE_STATISTICS"])
def test_every_version_has_teeth(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    monkeypatch.setattr(relabel_stage, statement, NOTHING)
    monkeypatch.setattr(verify, "_STATISTICS", Statement("none", "SELECT 0", int))
    monkeypatch.setattr(catch_up, "audit_version", unaudited)
    with pytest.raises(AssertionError):
        assert_every_version_follows(doors, tenant)
