"""Folds the append-only statistics: one row a sum, none where it is zero."""

from ragspine_pg.contract.ingest import FoldReport
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

FOLD_LIMIT = 100
"""How many rows a sum may have at the end of an ingest before the ingest folds; a query adds up as many."""

_NEXT_BATCH = query("ingest_next_batch", int)
_NEEDS_FOLD = query("ingest_needs_fold", bool)
_FOLD_LEXEME_STAT = query("ingest_fold_lexeme_stat")
_FOLD_CORPUS_STAT = query("ingest_fold_corpus_stat")


def needs_fold(target: Target) -> Flow[bool]:
    """Whether a sum this ingest appended to has more than ``FOLD_LIMIT`` rows."""
    rows = yield from fetch(_NEEDS_FOLD, tenant_no=target.tenant_no, limit=FOLD_LIMIT)
    return rows[0]


def fold(target: Target) -> Flow[FoldReport]:
    """Fold the statistics of all versions of a library; no sum changes, and no writer or reader waits."""
    batch = yield from fetch(_NEXT_BATCH)
    before = after = 0
    for statement in (_FOLD_LEXEME_STAT, _FOLD_CORPUS_STAT):
        rows = yield from fetch(statement, tenant_no=target.tenant_no, library_no=target.library_no, batch_no=batch[0])
        before += rows[0][0]
        after += rows[0][1]
    return FoldReport(before, after)
