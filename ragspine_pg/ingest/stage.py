"""Carries documents into temporary tables of the transaction, so that everything after is done in sets."""

from ragspine_pg.contract.ingest import OnDuplicate
from ragspine_pg.errors import IngestError
from ragspine_pg.flow.steps import Flow, copy, fetch
from ragspine_pg.ingest.split import Batch
from ragspine_pg.statement.catalogue import query

_TABLES = [
    query(f"ingest_stage_{name}")
    for name in ("document", "page", "chunk", "analysis", "plan", "count", "word", "delta")
]
_INDEX = query("ingest_index_stage")
_COPY_DOCUMENT = query("ingest_copy_document")
_COPY_PAGE = query("ingest_copy_page")
_COPY_CHUNK = query("ingest_copy_chunk")
# The types of the columns that these fill, in order.
_DOCUMENT = ["int4", *["text"] * 4, "jsonb", "text[]", "text", "int4", "text", "int4", "int4", "bool", "bool"]
_PAGE = ["int4", "int4", "text"]
_CHUNK = ["int4", "int4", "int4", "text", "int4", "int4", "text", "int4", "int4", "text", "text"]
_FIND_DUPLICATE = query("ingest_find_duplicate", str)
_DROP_EARLIER = query("ingest_drop_earlier", str)
_ANALYZE = query("ingest_analyze_stage")
_DROP = query("ingest_drop_stage")


def make_stage() -> Flow[None]:
    """Create the stage: temporary tables that vanish with the transaction."""
    for table in _TABLES:
        yield from fetch(table)
    yield from fetch(_INDEX)


def fill_stage(batch: Batch, on_duplicate: OnDuplicate) -> Flow[int]:
    """Copy a batch; how many earlier documents it replaced. Raises ``IngestError`` naming an id that came before."""
    if not batch.documents:
        return 0
    yield from copy(_COPY_DOCUMENT, _DOCUMENT, batch.documents)
    yield from copy(_COPY_PAGE, _PAGE, batch.pages)
    yield from copy(_COPY_CHUNK, _CHUNK, batch.chunks)
    span = {"first_seq": batch.first_seq, "after_seq": batch.after_seq}
    if on_duplicate == "last":
        return len((yield from fetch(_DROP_EARLIER, **span)))
    found = yield from fetch(_FIND_DUPLICATE, **span)
    if found:
        raise IngestError(
            f'document {found[0]!r} comes twice in one ingest; on_duplicate="last" keeps the last',
            document=found[0],
        )
    return 0


def analyze_stage() -> Flow[None]:
    """Give the planner statistics of the stage."""
    yield from fetch(_ANALYZE)


def drop_stage() -> Flow[None]:
    """Remove the stage, in case the transaction goes on."""
    yield from fetch(_DROP)
