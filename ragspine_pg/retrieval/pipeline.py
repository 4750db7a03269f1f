"""The query path, in order: identity, mode, legs, fusion, passages, exit. One flow; what it reads of the database after
embedding the query, it reads in one snapshot."""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ragspine_pg.contract.cursor import Cursor
from ragspine_pg.contract.identity import Identity
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.passage import Passage
from ragspine_pg.contract.result import Hit, SearchResult, without_readable_documents
from ragspine_pg.contract.search_request import MAX_K, SearchRequest
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import DeadlineExceeded, QueryError
from ragspine_pg.flow.steps import Flow, Statement, batch
from ragspine_pg.retrieval.embed import QueryModels
from ragspine_pg.retrieval.exits.link import through_link
from ragspine_pg.retrieval.legs import Found, run_legs
from ragspine_pg.retrieval.mode import ran
from ragspine_pg.retrieval.rank import Ranked, rank
from ragspine_pg.retrieval.trace import trace_search
from ragspine_pg.statement import search as statements
from ragspine_pg.statement.search import LibraryRow


def search(
    request: SearchRequest, identity: Identity, models: QueryModels, *, whole: bool = False
) -> Flow[SearchResult]:
    """Search as ``identity``; to be driven to read only.

    ``whole`` gives all that the legs of this very search found, and not just k of it, for ``explain``.
    """
    started = time.monotonic()
    context = request.context
    context.check()
    cursor = None if request.after is None else Cursor.read(request.after, request.identity)
    shown = 0 if cursor is None else cursor.count
    if request.k + shown > MAX_K:
        raise QueryError(f"a result is paged to {MAX_K} hits", argument="after")
    try:
        found = yield from run_legs(request, identity, models, cursor, whole=whole)
        context.check()
        ranked = rank(found.libraries, found.legs, found.lexical, found.vector, request.fusion)
        left_out = {(library, chunk) for library, chunks in cursor.shown.items() for chunk in chunks} if cursor else ()
        unseen = (item for item in ranked if (item.library_id, item.chunk_id) not in left_out)
        page = list(islice(unseen, MAX_K if whole else request.k))
        passages, unmet = yield from _read(request, found, page)
        trace = (yield from trace_search(request, found, page[: request.k])) if request.explain else None
    except DeadlineExceeded:
        context.cancellation.check()  # the server reports a cancel and a timeout alike
        raise
    kept = _filtered(through_link(passages, identity.access), request, found.libraries)
    hits = tuple(_hit(place, passage, page[passage.position - 1]) for place, passage in enumerate(kept, shown + 1))
    versions = {row.library_id: row.version for row in found.libraries}
    going_on = Cursor(versions, {} if cursor is None else cursor.shown)
    return SearchResult(
        query=request.query,
        mode=ran(request.mode, found.legs.values()).value,
        hits=hits,
        index_versions=versions,
        reason=_reason(len(hits), request, found, unmet=unmet),
        warnings=(*found.warnings, *_warnings(request, found, hits)),
        cursor=going_on.after(hits).write(request.identity) if len(hits) == request.k else None,
        usage=Usage(found.usage.items, found.usage.tokens, found.usage.calls, time.monotonic() - started),
        trace=trace,
    )


def _read(request: SearchRequest, found: Found, page: Sequence[Ranked]) -> Flow[tuple[list[Passage], str | None]]:
    """The passages of ``page``; and, where there are none to read, why the query itself finds none, if it is so."""
    if page:
        places = {
            "version_nos": [item.version_no for item in page],
            "chunk_nos": [item.chunk_no for item in page],
            "expand": request.expand,
        }
        asked: tuple[Statement[Any], Mapping[str, Any]] = (statements.read_passages, places)
    else:
        versions = [row.version_no for row in found.libraries]
        asked = (statements.reason, {"version_nos": versions, "query": request.query})
    *_, rows = yield from batch(*statements.tightening(request.context), asked, last=not request.explain)
    return (rows, None) if page else ([], rows[0])


def _filtered(passages: list[Passage], request: SearchRequest, libraries: Sequence[LibraryRow]) -> list[Passage]:
    """The filter once more, by its other evaluator: what the legs did wrong does not get out."""
    if request.metadata_filter is None:
        return passages
    tests = {row.library_id: request.metadata_filter.bind(row.fields) for row in libraries}
    return [passage for passage in passages if tests[passage.library_id](passage.metadata) is True]


def _hit(place: int, passage: Passage, ranked: Ranked) -> Hit:
    rows = {name: row for name, row in (("lexical", ranked.lexical), ("vector", ranked.vector)) if row is not None}
    return Hit(
        rank=place,
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
        scores={name: row.score for name, row in rows.items()},
        ranks={name: row.rank for name, row in rows.items()},
    )


def _reason(hits: int, request: SearchRequest, found: Found, *, unmet: str | None) -> str | None:
    if hits == request.k:
        return None
    if hits or request.after is not None:
        return "fewer_matches"
    if not found.libraries:
        return "nothing_readable"
    if unmet == "no_searchable_term" and any(leg.vector for leg in found.legs.values()):
        return "no_match"
    return unmet or "no_match"


def _warnings(request: SearchRequest, found: Found, hits: Sequence[Hit]) -> Iterator[str]:
    """What was asked for and had no effect; of a library that is not there no more than of one that nobody may read."""
    if not found.libraries:
        return  # the reason says it
    if request.after is None:  # a further page is of the first one's libraries, whatever can be read by now
        searched = {row.library_id for row in found.libraries}
        yield from (without_readable_documents(name) for name in request.libraries or () if name not in searched)
    if request.expand == "parent" and hits and not any(hit.window_text for hit in hits):
        yield "no_parent_window"
    if request.fusion.weights is not None and not any(leg.lexical and leg.vector for leg in found.legs.values()):
        yield "weights_without_effect"
