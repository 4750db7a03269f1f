"""Moves the statistics of the versions by what an ingest changes, and numbers its new lexemes."""

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

_REMOVE_DELTAS = query("ingest_remove_deltas")
_COUNT_LEXEMES = query("ingest_count_lexemes")
_ADD_LEXEMES = query("ingest_add_lexemes")
_FIND_WORDS = query("ingest_find_words")
_ANALYZE_WORDS = query("ingest_analyze_words")
_ADD_DELTAS = query("ingest_add_deltas")
_NEXT_BATCH = query("ingest_next_batch", int)
_ADD_LEXEME_STAT = query("ingest_add_lexeme_stat")
_ADD_CORPUS_STAT = query("ingest_add_corpus_stat")


def subtract_stored(target: Target, *, everywhere: bool) -> Flow[None]:
    """Collect what the stored chunks of rewritten and relabelled documents counted for: in every version, or in the
    target alone. Before they are touched.
    """
    version_no = None if everywhere else target.version_no
    yield from fetch(_REMOVE_DELTAS, tenant_no=target.tenant_no, version_no=version_no)


def count_lexemes(first_chunk_seq: int, after_chunk_seq: int) -> Flow[None]:
    """Count the lexemes of the new chunks of a range by class."""
    yield from fetch(_COUNT_LEXEMES, first_seq=first_chunk_seq, after_seq=after_chunk_seq)


def number_lexemes(target: Target) -> Flow[None]:
    """Give the version the lexemes it did not know, and note the numbers of all that were counted."""
    yield from fetch(_FIND_WORDS, tenant_no=target.tenant_no, version_no=target.version_no)
    yield from fetch(_ADD_LEXEMES, tenant_no=target.tenant_no, version_no=target.version_no)
    yield from fetch(_ANALYZE_WORDS)


def append_statistics(target: Target) -> Flow[int]:
    """Append what was collected, as one batch; its number."""
    yield from fetch(_ADD_DELTAS, tenant_no=target.tenant_no, version_no=target.version_no)
    batch = yield from fetch(_NEXT_BATCH)
    yield from fetch(_ADD_LEXEME_STAT, tenant_no=target.tenant_no, batch_no=batch[0])
    yield from fetch(_ADD_CORPUS_STAT, tenant_no=target.tenant_no, batch_no=batch[0])
    return batch[0]
