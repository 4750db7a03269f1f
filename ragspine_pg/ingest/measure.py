"""The measured length pivot: the mean length of a version's chunks, for a library of one access class.

The pivot enters every impact. Were it shaped by chunks a caller may not read, it would tell of them; hence one class.
With ``statistics="library"`` scores tell of them anyway: it is the mean of all that is not RESTRICTED.
"""

from typing import NoReturn

from ragspine_pg.errors import IngestError
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

SLICE = 1000

_MEASURE = query("ingest_measure_pivot")
_REWEIGH = query("ingest_reweigh")
_COUNT_CLASSES = query("ingest_count_classes", int)


def measure_pivot(target: Target) -> Flow[tuple[float, bool]]:
    """Set the pivot from the statistics as they are now; the pivot, and whether it moved.

    Raises ``IngestError`` when the library's documents have more than one access class and statistics are by class.
    """
    rows = yield from fetch(
        _MEASURE, tenant_no=target.tenant_no, library_no=target.library_no, version_no=target.version_no
    )
    telling, before, now = rows[0]
    if telling:
        _refuse_second_class(target)
    return now, now != before


def require_one_class(target: Target) -> Flow[None]:
    """Raise ``IngestError`` when the library's documents have more than one access class: for statistics by class."""
    rows = yield from fetch(_COUNT_CLASSES, tenant_no=target.tenant_no, library_no=target.library_no)
    if rows[0] > 1:
        _refuse_second_class(target)


def reweigh(target: Target, pivot: float) -> Flow[None]:
    """Analyse the stored chunks again and write their impacts under ``pivot``, a slice at a time."""
    after_no: int | None = 0
    while after_no is not None:
        rows = yield from fetch(
            _REWEIGH,
            tenant_no=target.tenant_no,
            version_no=target.version_no,
            analyzer=target.analyzer,
            title_weight=target.title_weight,
            k1=target.k1,
            b=target.b,
            pivot=pivot,
            after_no=after_no,
            size=SLICE,
        )
        after_no = rows[0][0]


def _refuse_second_class(target: Target) -> NoReturn:
    raise IngestError(
        f"{target.tenant}/{target.library_id} measures its length pivot, so all its documents must have the same "
        "readers and sensitivity: the mean length would tell of chunks a caller may not read, "
        'which only statistics="library" accepts',
        tenant=target.tenant,
        library=target.library_id,
    )
