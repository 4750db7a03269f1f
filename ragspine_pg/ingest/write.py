"""Writes the planned documents with their pages, field keys, windows and chunks."""

from typing import Any

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

_REMOVE_CHUNKS = query("ingest_remove_chunks", int)
_REMOVE_WINDOWS = query("ingest_remove_windows")
_REMOVE_PAGES = query("ingest_remove_pages")
_REMOVE_FIELDS = query("ingest_remove_fields")
_UPDATE_DOCUMENTS = query("ingest_update_documents")
_REFRESH_PLANNER = query("ingest_refresh_planner", int)
_ADD_DOCUMENTS = query("ingest_add_documents")
_ADD_PENDING = query("ingest_add_pending")
_ADD_PAGES = query("ingest_add_pages")
_ADD_FIELD_KEYS = query("ingest_add_field_keys")
_ADD_WINDOWS = query("ingest_add_windows")
_ADD_CHUNKS = query("ingest_add_chunks", int)
_LIST_MOVED = query("ingest_list_moved", list[int])
_ADD_TAIL = query("ingest_add_tail")


def remove_indexed(target: Target, *, everywhere: bool) -> Flow[int]:
    """Delete the chunks and windows of rewritten documents, by document and never by similarity: in every version, or
    in the target alone. The number of deleted chunks.
    """
    version_no = None if everywhere else target.version_no
    rows = yield from fetch(_REMOVE_CHUNKS, tenant_no=target.tenant_no, version_no=version_no)
    yield from fetch(_REMOVE_WINDOWS, tenant_no=target.tenant_no, version_no=version_no)
    return rows[0]


def remove_stored(target: Target) -> Flow[None]:
    """Delete the pages of rewritten documents, and the field keys of those and of touched ones."""
    yield from fetch(_REMOVE_PAGES, tenant_no=target.tenant_no)
    yield from fetch(_REMOVE_FIELDS, tenant_no=target.tenant_no)


def add_pending(target: Target) -> Flow[None]:
    """Mark what the other live versions lack from now on. After new documents have been written."""
    yield from fetch(
        _ADD_PENDING, tenant_no=target.tenant_no, library_no=target.library_no, version_no=target.version_no
    )


def refresh_planner(target: Target) -> Flow[None]:
    """Have planner statistics made of tables that have none or outgrew them; cheap where that is not so."""
    yield from fetch(_REFRESH_PLANNER, tenant_no=target.tenant_no, version_no=target.version_no)


def write_documents(target: Target, first_seq: int, after_seq: int, *, refresh: bool) -> Flow[None]:
    """Update and write documents of a range, and their pages and field keys where those are new."""
    span: dict[str, Any] = {"tenant_no": target.tenant_no, "first_seq": first_seq, "after_seq": after_seq}
    yield from fetch(_UPDATE_DOCUMENTS, **span)
    moved = yield from fetch(_LIST_MOVED, first_seq=first_seq, after_seq=after_seq)
    if moved[0]:
        yield from fetch(_ADD_TAIL, tenant_no=target.tenant_no, document_nos=moved[0])
    yield from fetch(_ADD_DOCUMENTS, library_no=target.library_no, **span)
    if refresh:  # the pages are checked against the documents
        yield from refresh_planner(target)
    yield from fetch(_ADD_PAGES, **span)
    yield from fetch(_ADD_FIELD_KEYS, library_no=target.library_no, **span)


def write_chunks(target: Target, pivot: float, first_chunk_seq: int, after_chunk_seq: int) -> Flow[int]:
    """Write the windows and chunks of a range with their impacts under ``pivot``; the number of chunks."""
    span: dict[str, Any] = {
        "tenant_no": target.tenant_no,
        "version_no": target.version_no,
        "first_seq": first_chunk_seq,
        "after_seq": after_chunk_seq,
    }
    yield from fetch(_ADD_WINDOWS, **span)
    rows = yield from fetch(_ADD_CHUNKS, k1=target.k1, b=target.b, pivot=pivot, **span)
    return rows[0]
