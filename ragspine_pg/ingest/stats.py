"""Numbers about a library, for its administrator."""

from ragspine_pg.contract.ingest import ClassStats, LibraryStats
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query


def _class(sensitivity: str, readers: list[str] | None, documents: int, chunks: int, total_length: int) -> ClassStats:
    names = None if readers is None else frozenset(readers)
    return ClassStats(Sensitivity(sensitivity), names, documents, chunks, total_length)


_TOTALS = query("ingest_stats")
_CLASSES = query("ingest_class_stats", _class)


def library_stats(target: Target) -> Flow[LibraryStats]:
    """Documents, chunks, lengths and classes of a library's published version."""
    place = {"tenant_no": target.tenant_no, "library_no": target.library_no, "version_no": target.version_no}
    totals = yield from fetch(_TOTALS, **place)
    classes = yield from fetch(_CLASSES, **place)
    documents, characters, chunks, total_length, lexemes, rows = totals[0]
    return LibraryStats(documents, characters, chunks, total_length, lexemes, rows, tuple(classes))
