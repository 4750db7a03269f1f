"""Carries documents into temporary tables of the transaction, so that everything after is done in sets."""

from ragspine_pg.contract.ingest import OnDuplicate, SkippedDocument
from ragspine_pg.errors import IngestError
from ragspine_pg.flow.steps import Flow, copy, fetch
from ragspine_pg.ingest.split import Batch
from ragspine_pg.statement.catalogue import query

_TABLES = [
    query(f"ingest_stage_{name}")
    for name in ("document", "page", "chunk", "analysis", "embedding", "plan", "count", "word", "delta")
]
_INDEX = query("ingest_index_stage")
_COPY_DOCUMENT = query("ingest_copy_document")
_COPY_PAGE = query("ingest_copy_page")
_COPY_CHUNK = query("ingest_copy_chunk")
# The types of the columns that these fill, in order.
_DOCUMENT = ["int4", *["text"] * 4, "jsonb", "text[]", "text", "int4", "text", "int4", "int4", *["bool"] * 3]
_PAGE = ["int4", "int4", "text"]
_CHUNK = ["int4", "int4", "int4", "text", "int4", "int4", "text", "int4", "int4", "text", "text"]
_FIND_DUPLICATE = query("ingest_find_duplicate", str)
_DROP_EARLIER = query("ingest_drop_earlier", str)
_FIND_EMPTIED = query("ingest_find_emptied", str)
_DROP_EMPTIED = query("ingest_drop_emptied", str)
_ANALYZE = query("ingest_analyze_stage")
_DROP = query("ingest_drop_stage")


def make_stage() -> Flow[None]:
    """Create the stage: temporary tables that vanish with the transaction."""
    for table in _TABLES:
        yield from fetch(table)
    yield from fetch(_INDEX)


def fill_stage(
    batch: Batch, on_duplicate: OnDuplicate, skipped: dict[str, SkippedDocument], *, pages: bool = True
) -> Flow[int]:
    """Copy a batch; how many earlier documents of the call it replaced, staged or skipped.

    ``pages``: with the documents' texts, which is for who writes documents.

    ``skipped``, the empty documents of the call by id, is brought up to date. Of one id the last document counts, empty
    or not. Raises ``IngestError`` naming an id that came before, where that is not to be.
    """
    again: list[str] = []
    if batch.documents:
        yield from copy(_COPY_DOCUMENT, _DOCUMENT, batch.documents)
        if pages:
            yield from copy(_COPY_PAGE, _PAGE, batch.pages)
        yield from copy(_COPY_CHUNK, _CHUNK, batch.chunks)
        span = {"first_seq": batch.first_seq, "after_seq": batch.after_seq}
        again += yield from fetch(_DROP_EARLIER if on_duplicate == "last" else _FIND_DUPLICATE, **span)
    if batch.skipped:
        again += yield from fetch(
            _DROP_EMPTIED if on_duplicate == "last" else _FIND_EMPTIED,
            document_ids=[empty.document_id for _, empty in batch.skipped],
            before_seqs=[before_seq for before_seq, _ in batch.skipped],
        )
    again += _merge_skipped(batch, skipped)
    if again and on_duplicate != "last":
        raise IngestError(
            f'document {again[0]!r} comes twice in one ingest; on_duplicate="last" keeps the last',
            document=again[0],
        )
    return len(again)


def _merge_skipped(batch: Batch, skipped: dict[str, SkippedDocument]) -> list[str]:
    """Add the batch's empty documents to ``skipped`` and take out those whose id came again; these ids."""
    if not batch.skipped and not skipped:
        return []
    # In the order they came: an empty document stands before the document of its number.
    came: list[tuple[int, int, str, SkippedDocument | None]] = [(row[0], 1, row[1], None) for row in batch.documents]
    came += [(before_seq, 0, empty.document_id, empty) for before_seq, empty in batch.skipped]
    again = []
    for _, _, document_id, empty in sorted(came, key=lambda one: one[:2]):
        if skipped.pop(document_id, None) is not None:
            again.append(document_id)
        if empty is not None:
            skipped[document_id] = empty
    return again


def analyze_stage() -> Flow[None]:
    """Give the planner statistics of the stage."""
    yield from fetch(_ANALYZE)


def drop_stage() -> Flow[None]:
    """Remove the stage, in case the transaction goes on."""
    yield from fetch(_DROP)
