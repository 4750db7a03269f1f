"""Analyses staged chunks in the database, in slices, so that no statement runs for long and progress can be shown."""

from collections.abc import Iterator

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

SLICE = 2000

_MARK = query("ingest_mark_unchanged")
_ANALYSE = query("ingest_analyse")
_FIND_UNANALYSED = query("ingest_find_unanalysed")


def slices(first: int, after: int, size: int = SLICE) -> Iterator[tuple[int, int]]:
    """Consecutive half-open ranges of at most ``size`` that cover ``first`` to before ``after``."""
    for start in range(first, after, size):
        yield start, min(start + size, after)


def mark_unchanged(target: Target, first_seq: int, after_seq: int) -> Flow[None]:
    """Compare staged documents with the stored ones; right until another writer commits, or under the locks."""
    for first, after in slices(first_seq, after_seq):
        yield from fetch(
            _MARK,
            tenant_no=target.tenant_no,
            library_no=target.library_no,
            version_no=target.version_no,
            first_seq=first,
            after_seq=after,
        )


def analyse(target: Target, first_chunk_seq: int, after_chunk_seq: int) -> Flow[None]:
    """Analyse the staged chunks of a range, but those of unchanged documents and those that have been."""
    for first, after in slices(first_chunk_seq, after_chunk_seq):
        yield from fetch(
            _ANALYSE,
            analyzer=target.analyzer,
            title_weight=target.title_weight,
            first_seq=first,
            after_seq=after,
        )


def find_unanalysed() -> Flow[tuple[int, int] | None]:
    """The range of staged chunks in which some must still be analysed, or None."""
    rows = yield from fetch(_FIND_UNANALYSED)
    first, after = rows[0]
    return None if first is None or after is None else (first, after)
