"""Deletes a document: at commit its chunks, windows, pages and share of the statistics are gone, in every version."""

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

_LOCK = query("ingest_lock_document", int)
_READ = query("ingest_read_rights")
_NEXT_BATCH = query("ingest_next_batch", int)
_MOVE_STATISTICS = query("ingest_move_statistics", int)
_DELETE = query("ingest_delete_document")


def delete(target: Target, document_id: str) -> Flow[bool]:
    """Delete the stored document of that id; whether there was one."""
    place = {"tenant_no": target.tenant_no, "library_no": target.library_no, "document_id": document_id}
    locked = yield from fetch(_LOCK, **place)
    if not locked:
        return False
    # Read in a statement of its own, after the lock: see relabel.
    rows = yield from fetch(_READ, **place)
    document_no, old_class_no = rows[0][0], rows[0][1]
    batch = yield from fetch(_NEXT_BATCH)
    move = {
        "tenant_no": target.tenant_no,
        "document_no": document_no,
        "batch_no": batch[0],
        "old_acl_class_no": old_class_no,
        "acl_class_no": None,
    }
    yield from fetch(_MOVE_STATISTICS, **move)
    yield from fetch(_DELETE, tenant_no=target.tenant_no, document_no=document_no)
    return True
