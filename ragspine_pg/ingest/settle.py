"""Takes the locks of the write phase and decides under them what is done with each document.

The order of locks is one for all writers (docs/adr/0005): the version, access classes in the making, documents by id.
"""

from dataclasses import dataclass

from ragspine_pg.errors import VersionChanged
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target, find_target
from ragspine_pg.statement.catalogue import query


@dataclass(frozen=True, slots=True)
class Plan:
    """What the plan comes to, in documents; ``chunks`` are to be written."""

    added: int
    changed: int
    relabelled: int
    updated: int
    unchanged: int
    chunks: int


_KEEP_STORED = query("ingest_keep_stored", int)
_SAVEPOINT = query("ingest_savepoint")
_ROLL_BACK = query("ingest_roll_back")
_RELEASE = query("ingest_release")
_LOCK_VERSION = query("ingest_lock_version", int)
_ADD_CLASSES = query("ingest_add_classes", int)
_LOCK_DOCUMENTS = query("ingest_lock_documents", int)
_LOCK_LIBRARY = query("ingest_lock_library", int)
_PLAN = query("ingest_plan")
_COUNT = query("ingest_count_plan", Plan)
_COUNT_WIDENED = query("ingest_count_widened", int)


def lock(target: Target) -> Flow[None]:
    """Lock the version, make missing access classes, lock the stored documents the stage names (all of them where the
    length pivot is measured, since all impacts may be written again).

    Raises ``VersionChanged`` when another version was published since the call began, ``NotFound`` when the library was
    dropped.
    """
    locked = yield from fetch(
        _LOCK_VERSION, tenant_no=target.tenant_no, library_no=target.library_no, version_no=target.version_no
    )
    if not locked:
        yield from find_target(target.tenant, target.library_id)  # the library may be gone
        raise VersionChanged(
            f"another version of {target.tenant}/{target.library_id} was published meanwhile, and nothing was stored:"
            " run the ingest again",
            tenant=target.tenant,
            library=target.library_id,
        )
    place = {"tenant_no": target.tenant_no, "library_no": target.library_no}
    # As in relabel: classes come before documents, but which are wanted can depend on what a document was. Where that
    # has changed once the locks are held, they are given back.
    while True:
        yield from fetch(_SAVEPOINT)
        yield from keep_stored(target)
        yield from fetch(_ADD_CLASSES, tenant_no=target.tenant_no)
        yield from fetch(_LOCK_LIBRARY if target.measured else _LOCK_DOCUMENTS, **place)
        if (yield from keep_stored(target)) == 0:
            yield from fetch(_RELEASE)
            return
        yield from fetch(_ROLL_BACK)


def keep_stored(target: Target) -> Flow[int]:
    """Give staged documents that keep their rights or metadata those of the stored ones; how many had others."""
    rows = yield from fetch(_KEEP_STORED, tenant_no=target.tenant_no, library_no=target.library_no)
    return rows[0]


def plan(target: Target) -> Flow[Plan]:
    """Decide, from the state that the locks hold still."""
    yield from fetch(_PLAN, tenant_no=target.tenant_no, library_no=target.library_no)
    return (yield from count())


def count() -> Flow[Plan]:
    """What was planned."""
    return (yield from fetch(_COUNT))[0]


def count_widened(target: Target) -> Flow[int]:
    """How many stored documents the plan opens: to a reader who could not read them, or by a lower label."""
    return (yield from fetch(_COUNT_WIDENED, tenant_no=target.tenant_no))[0]


def lock_library(target: Target) -> Flow[None]:
    """Lock all stored documents of the library."""
    yield from fetch(_LOCK_LIBRARY, tenant_no=target.tenant_no, library_no=target.library_no)
