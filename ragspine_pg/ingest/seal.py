"""Seals chunks in postings, so that a search need not read every row: the maintenance half of docs/adr/0013.

Chunks of one access class are sealed together, as a run of segments. A class keeps runs of growing sizes, as a
log-structured merge tree does (O'Neil and others 1996): what came since is sealed with the smaller runs beside it, so
that a chunk is sealed again a logarithmic number of times. What is in no run stands in the class's tail.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ragspine_pg.contract.posting import SEGMENT
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.progress import Meter
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

SEAL_FROM = 1000
"""Chunks from which a class is sealed; fewer are scanned in a third of a millisecond."""

FREQUENT = 16
"""Postings of a lexeme in a segment from which they make a block; fewer are read one by one about as fast."""

WIDTH = 64
"""Lexemes in a row of a list: one row a lexeme would take more room than the postings of most."""

DUE = 500
"""Chunks in the tail of a class from which an ingest seals; a search looks that many up in two milliseconds."""

GROWTH = 3
"""A run is merged with the newer ones where it has less than so many times their chunks."""

_STAGE = [query("ingest_seal_stage"), query("ingest_seal_stage_lexeme")]
_BEGIN = query("ingest_seal_begin", bool)
_DUE = query("ingest_seal_due", bool)
_LIST = query("ingest_list_unsealed")
_EMPTY = query("ingest_seal_empty")
_CHUNKS = query("ingest_seal_chunks", int)
_SEGMENT = query("ingest_seal_segment", int)
_LISTS = query("ingest_seal_lists", int)
_FINISH = query("ingest_seal_finish", int)
_DROP = query("ingest_seal_drop")


@dataclass(frozen=True, slots=True)
class Unsealed:
    """A class of a version: its chunks, those in its tail, its runs from the oldest on and their sizes when sealed."""

    acl_class_no: int
    chunks: int
    tail: int
    run_nos: Sequence[int]
    sizes: Sequence[int]
    next_segment_no: int


def plan_run(found: Unsealed, least: int = 1) -> Sequence[int] | None:
    """The numbers of the runs to seal anew together with the tail, maybe none of them; None to leave all as it is.

    A tail of less than ``least`` chunks is left as it is.

    All of them where a third of what was sealed is gone. Else the newest, as long as the next one has less than
    ``GROWTH`` times the chunks of those after it.
    """
    if found.chunks < SEAL_FROM:
        return None
    gone = sum(found.sizes) + found.tail - found.chunks
    if gone * 3 > sum(found.sizes):
        return found.run_nos
    if found.tail < least:
        return None
    merged = found.tail
    kept = len(found.run_nos)
    while kept and found.sizes[kept - 1] < GROWTH * merged:
        kept -= 1
        merged += found.sizes[kept]
    return found.run_nos[kept:]


def seal(target: Target, meter: Meter, *, least: int = 1) -> Flow[int]:
    """Seal the tails of at least ``least`` chunks of a version; nothing while another seal is at it.

    The number of chunks that got places in postings, those of merged runs included.

    No reader and no writer waits, and what a search finds stays the same to the byte. Nothing is sealed in a version
    that measures its length pivot: every ingest changes its impacts, and postings would have to be made anew each time.
    """
    version = {"tenant_no": target.tenant_no, "version_no": target.version_no}
    chunks = 0
    if not target.measured and (yield from fetch(_BEGIN, **version))[0]:
        for table in _STAGE:
            yield from fetch(table)
        for row in (yield from fetch(_LIST, **version)):
            found = Unsealed(*row)
            merged = plan_run(found, least)
            if merged is not None:
                yield from fetch(_EMPTY)
                chunks += yield from _seal_class(version, found, list(merged), meter)
        yield from fetch(_DROP)
    return chunks


def is_due(target: Target) -> Flow[bool]:
    """Whether some tail has become so long that searches would take note."""
    rows = yield from fetch(
        _DUE, tenant_no=target.tenant_no, version_no=target.version_no, least=DUE, seal_from=SEAL_FROM
    )
    return rows[0]


def _seal_class(version: dict[str, int], found: Unsealed, merged: list[int], meter: Meter) -> Flow[int]:
    place = {**version, "acl_class_no": found.acl_class_no}
    first = found.next_segment_no
    rows = yield from fetch(_CHUNKS, run_nos=merged, segment_no=first, size=SEGMENT, **place)
    chunks = rows[0]
    for segment_no in range(first, first - (-chunks // SEGMENT)):
        yield from fetch(_SEGMENT, run_no=first, segment_no=segment_no, size=SEGMENT, frequent=FREQUENT, **place)
        meter.report("seal", min((segment_no - first + 1) * SEGMENT, chunks), chunks)
    yield from fetch(_LISTS, run_no=first, size=SEGMENT, width=WIDTH, **place)
    yield from fetch(_FINISH, run_nos=merged, **place)
    return chunks
