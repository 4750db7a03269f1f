"""Deletes the rows of versions that were given up, some documents a transaction, so that no writer waits for long."""

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

SLICE = 200

_LIST = query("ingest_list_dropped", int)
_NEXT = query("ingest_next_dropped", list[int])
_LOCK = query("ingest_lock_numbered", int)
_DROP_CHUNKS = query("ingest_drop_chunks")
_DROP_WINDOWS = query("ingest_drop_windows")
_DROP_VERSION = query("ingest_drop_version")


def list_dropped(target: Target) -> Flow[list[int]]:
    """The versions of the library, by their numbers in the store, whose rows are still to be deleted."""
    return (yield from fetch(_LIST, tenant_no=target.tenant_no, library_no=target.library_no))


def discard(target: Target, version_no: int, after_no: int) -> Flow[int | None]:
    """Delete what the next documents after number ``after_no`` have in the version; the last one's number, or None when
    that was all and the version is gone.

    Documents are locked first, as everywhere: a relabel changes the same rows.
    """
    place = {"tenant_no": target.tenant_no, "version_no": version_no}
    rows = yield from fetch(_NEXT, **place, after_no=after_no, size=SLICE)
    numbers = rows[0]
    if not numbers:
        yield from fetch(_DROP_VERSION, **place)
        return None
    yield from fetch(_LOCK, tenant_no=target.tenant_no, document_nos=numbers)
    for statement in (_DROP_CHUNKS, _DROP_WINDOWS):
        yield from fetch(statement, **place, document_nos=numbers)
    return max(numbers)
