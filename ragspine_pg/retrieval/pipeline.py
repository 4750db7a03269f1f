"""The query path, in order: identity, mode, legs, fusion, passages, exit. One flow, in one snapshot of the caller's."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.passage import Passage
from ragspine_pg.contract.result import Hit, SearchResult
from ragspine_pg.contract.search_request import SearchRequest
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import DeadlineExceeded
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.retrieval.exits.link import through_link
from ragspine_pg.retrieval.fuse import rrf_fuse
from ragspine_pg.retrieval.mode import resolve_mode
from ragspine_pg.statement import search as statements
from ragspine_pg.statement.search import LegRow


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a search runs for, and the signed grant that proves it to the database."""

    access: Access
    grant: str
    single_login: bool = False


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A chunk in the final order: where it is, what it is ranked by, and its row of the leg."""

    row: LegRow
    score: float


def search(request: SearchRequest, identity: Identity) -> Flow[SearchResult]:
    """Search as ``identity``; to be driven inside one read-only transaction, rolled back or committed by the caller."""
    started = time.monotonic()
    context = request.context
    context.check()
    mode = resolve_mode(request.mode)
    try:
        begun = yield from fetch(
            statements.begin,
            grant=identity.grant,
            timeout=None if context.deadline is None else _milliseconds(context.deadline.remaining()),
            single_login="on" if identity.single_login else "off",
        )
        rows = yield from fetch(
            statements.lexical_legs,
            query=request.query,
            libraries=None if request.libraries is None else list(request.libraries),
            k=request.k,
            filter=None if request.metadata_filter is None else request.metadata_filter.to_json(),
            min_score=request.min_score,
        )
        context.check()
        rankings = _by_library(rows)
        ranked = _rank(rankings)[: request.k]
        passages = yield from fetch(
            statements.read_passages,
            version_nos=[item.row.version_no for item in ranked],
            chunk_nos=[item.row.chunk_no for item in ranked],
            expand=request.expand,
        )
        trace = (yield from _trace(request, rankings)) if request.explain else None
    except DeadlineExceeded:
        context.cancellation.check()  # the server reports a cancel and a timeout alike
        raise
    kept = _filtered(through_link(passages, identity.access), request, rankings)
    hits = tuple(_hit(rank, passage, ranked[passage.position - 1]) for rank, passage in enumerate(kept, start=1))
    return SearchResult(
        query=request.query,
        mode=mode.value,
        hits=hits,
        index_versions={library: legs[0].version for library, legs in rankings.items()},
        reason=_reason(len(hits), request.k, rankings),
        warnings=begun[0],
        usage=Usage(seconds=time.monotonic() - started),
        trace=trace,
    )


def _milliseconds(seconds: float) -> int:
    # What statement_timeout takes: above 0, which would be no limit, and at most 24 days.
    return int(max(1, min(seconds * 1000, 2**31 - 1)))


def _by_library(rows: Sequence[LegRow]) -> dict[str, list[LegRow]]:
    return {library: list(legs) for library, legs in groupby(rows, key=lambda row: row.library_id)}


def _rank(rankings: Mapping[str, Sequence[LegRow]]) -> list[_Ranked]:
    """One library's ranking as it is; several fused by reciprocal rank: BM25 scores of two corpora do not compare."""
    found = {(row.library_id, row.chunk_id or ""): row for legs in rankings.values() for row in legs if row.rank}
    if len(rankings) == 1:
        return [_Ranked(row, row.score or 0.0) for row in found.values()]
    lists = [[(row.library_id, row.chunk_id or "") for row in legs if row.rank] for legs in rankings.values()]
    return [_Ranked(found[item], score) for item, score in rrf_fuse(lists)]


def _filtered(
    passages: list[Passage], request: SearchRequest, rankings: Mapping[str, Sequence[LegRow]]
) -> list[Passage]:
    """The filter once more, by its other evaluator: what the legs did wrong does not get out."""
    if request.metadata_filter is None:
        return passages
    tests = {library: request.metadata_filter.bind(legs[0].fields) for library, legs in rankings.items()}
    return [passage for passage in passages if tests[passage.library_id](passage.metadata) is True]


def _hit(rank: int, passage: Passage, ranked: _Ranked) -> Hit:
    return Hit(
        rank=rank,
        score=ranked.score,
        tenant=passage.tenant,
        library_id=passage.library_id,
        document_id=passage.document_id,
        chunk_id=passage.chunk_id,
        index_version=passage.index_version,
        locator=passage.locator,
        parent_locator=passage.parent_locator,
        title=passage.title,
        source_uri=passage.source_uri,
        text=passage.text,
        window_text=passage.window_text,
        metadata=passage.metadata,
        sensitivity=Sensitivity(passage.sensitivity),
        scores={"lexical": ranked.row.score or 0.0},
        ranks={"lexical": ranked.row.rank or 0},
    )


def _reason(found: int, k: int, rankings: Mapping[str, Sequence[LegRow]]) -> str | None:
    if found == k:
        return None
    if found:
        return "fewer_matches"
    if not rankings:
        return "nothing_readable"
    if all(legs[0].term_count == 0 for legs in rankings.values()):
        return "no_searchable_term"
    return "no_match"


def _trace(request: SearchRequest, rankings: Mapping[str, Sequence[LegRow]]) -> Flow[dict[str, Any]]:
    """What was looked for and how, from what the caller may read alone."""
    libraries = {}
    for library, legs in rankings.items():
        terms = yield from fetch(statements.query_terms, version_no=legs[0].version_no, query=request.query)
        libraries[library] = {
            "index_version": legs[0].version,
            "analyzer": legs[0].analyzer,
            "fields": dict(legs[0].fields),
            "strategy": "scan",
            "matches": sum(1 for row in legs if row.rank),
            "terms": [
                {"lexeme": t.lexeme, "frequency": t.frequency, "chunks": t.chunk_count, "idf": t.idf} for t in terms
            ],
        }
    return {"mode": "economy", "fusion": "rrf" if len(rankings) > 1 else None, "libraries": libraries}
