"""The query path, in order: identity, mode, legs, fusion, passages, exit. One flow; what it reads of the database after
embedding the query, it reads in one snapshot."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.cursor import Cursor
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.passage import Passage
from ragspine_pg.contract.result import Hit, SearchResult
from ragspine_pg.contract.search_request import MAX_K, SearchRequest
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import DeadlineExceeded, EmbeddingError, ModeUnavailable, QueryError, UnavailableError
from ragspine_pg.flow.steps import Flow, Statement, batch, fetch, release
from ragspine_pg.retrieval.embed import EmbeddedQuery, QueryModels, embed_query
from ragspine_pg.retrieval.exits.link import through_link
from ragspine_pg.retrieval.mode import Legs, legs_of, ran
from ragspine_pg.retrieval.rank import FUSED_DEPTH, Ranked, method_of, rank
from ragspine_pg.statement import search as statements
from ragspine_pg.statement.search import LegRow, LibraryRow


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a search runs for, and the signed grant that proves it to the database."""

    access: Access
    grant: str
    single_login: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """What the legs of a search came to."""

    libraries: Sequence[LibraryRow]
    legs: Mapping[str, Legs]
    lexical: Sequence[LegRow]
    vector: Sequence[LegRow]
    warnings: tuple[str, ...]
    usage: Usage = field(default_factory=Usage)


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
        found = yield from _find(request, identity, models, cursor, whole)
        context.check()
        ranked = rank(found.libraries, found.legs, found.lexical, found.vector, request.fusion)
        page = [item for item in ranked if cursor is None or item.chunk_id not in cursor.shown.get(item.library_id, ())]
        page = page[: MAX_K if whole else request.k]
        (passages,) = yield from batch(
            (
                statements.read_passages,
                {
                    "version_nos": [item.version_no for item in page],
                    "chunk_nos": [item.chunk_no for item in page],
                    "expand": request.expand,
                },
            ),
            last=not request.explain,
        )
        trace = (yield from _trace(request, found)) if request.explain else None
    except DeadlineExceeded:
        context.cancellation.check()  # the server reports a cancel and a timeout alike
        raise
    kept = _filtered(through_link(passages, identity.access), request, found.libraries)
    hits = tuple(_hit(place, passage, page[passage.position - 1]) for place, passage in enumerate(kept, shown + 1))
    versions = {row.library_id: row.version for row in found.libraries}
    going_on = (cursor or Cursor(versions)).after([(hit.library_id, hit.chunk_id) for hit in hits])
    return SearchResult(
        query=request.query,
        mode=ran(request.mode, found.legs.values()).value,
        hits=hits,
        index_versions=versions,
        reason=_reason(len(hits), request, found),
        warnings=found.warnings,
        cursor=Cursor(versions, going_on.shown).write(request.identity) if len(hits) == request.k else None,
        usage=Usage(found.usage.items, found.usage.tokens, found.usage.calls, time.monotonic() - started),
        trace=trace,
    )


def _find(
    request: SearchRequest, identity: Identity, models: QueryModels, cursor: Cursor | None, whole: bool
) -> Flow[_Found]:
    """Run the legs, in one round trip where the caller's libraries were seen before.

    What they turn out to have searched must be what the query was embedded for: else once more, now knowing better.
    """
    versions = None if cursor is None else dump_json(dict(cursor.versions))
    caller = (identity.access.tenant, identity.access.principals, request.libraries, versions)
    economy = request.mode is RetrievalMode.ECONOMY
    guess: Sequence[LibraryRow] | None = None if economy else models.seen.find(caller)
    place = {
        "libraries": None if request.libraries is None else list(request.libraries),
        "versions": versions,
    }
    depth = request.k + (0 if cursor is None else cursor.count)
    asked = (statements.libraries, {**place, "query": request.query})
    if guess is None and not economy:
        _, first = yield from batch((statements.begin, _begin(request, identity)), asked)
        models.seen.store(caller, first)
        guess = first
        yield from release()  # a model may take its time
    while True:
        try:
            legs = {row.library_id: _legs(request, row) for row in guess or ()}
        except ModeUnavailable:
            yield from release()
            _, fresh = yield from batch((statements.begin, _begin(request, identity)), asked)
            models.seen.store(caller, fresh)
            if _spaces(fresh) == _spaces(guess or ()):
                raise
            guess = fresh
            continue
        if any(leg.lexical and leg.vector for leg in legs.values()):
            deep = max(depth, FUSED_DEPTH)  # of another depth the fused order would be another one
        else:
            deep = MAX_K if whole else depth
        found = yield from _run(request, identity, models, guess or (), legs, asked, {**place, "depth": deep})
        if economy or _spaces(found.libraries) == _spaces(guess or ()):
            return found
        guess = found.libraries
        models.seen.store(caller, guess)
        yield from release()


def _run(
    request: SearchRequest,
    identity: Identity,
    models: QueryModels,
    guess: Sequence[LibraryRow],
    legs: Mapping[str, Legs],
    asked: tuple[Any, Mapping[str, Any]],
    place: Mapping[str, Any],
) -> Flow[_Found]:
    """Embed the query for the libraries in ``guess`` and run their legs."""
    vectored = [row for row in guess if legs[row.library_id].vector] if request.query.strip() else []
    hybrid = any(leg.lexical and leg.vector for leg in legs.values())
    if hybrid and request.min_score is not None:
        raise QueryError(
            "min_score is of one leg, and two run: name the leg, as in Fusion(min_scores={'lexical': 1.5})",
            argument="min_score",
        )
    warnings: list[str] = []
    try:
        embedded = yield from embed_query(models.known, vectored, request.query, request.context.for_one_leg())
    except (EmbeddingError, DeadlineExceeded) as error:
        request.context.check()
        if not (request.context.allow_partial and hybrid):
            raise
        embedded = EmbeddedQuery()
        warnings.append(f"vector_leg_failed:{error.code}")
    least = request.fusion.min_scores or {}
    leg = {**place, "filter": request.filter_json}
    steps = [(statements.begin, _begin(request, identity)), asked]
    if request.mode is not RetrievalMode.VECTOR:
        score = least.get("lexical") if request.min_score is None else request.min_score
        steps.append((statements.lexical_legs, {**leg, "query": request.query, "min_score": score}))
    score = least.get("vector") if request.min_score is None else request.min_score
    vector_step = (
        statements.vector_legs,
        {**leg, "spaces": embedded.spaces, "embeddings": embedded.embeddings, "min_score": score},
    )
    apart = request.context.allow_partial and hybrid
    begun, libraries, *ranked = yield from batch(*steps, *([vector_step] if embedded.spaces and not apart else []))
    if request.mode is RetrievalMode.ECONOMY:
        legs = {row.library_id: Legs(True, False) for row in libraries}
    lexical = ranked.pop(0) if request.mode is not RetrievalMode.VECTOR else []
    vector = ranked.pop(0) if ranked else []
    if embedded.spaces and apart:
        vector, failed = yield from _vector_alone(request, vector_step)
        warnings += failed
    return _Found(libraries, legs, lexical, vector, (*begun[0], *warnings), embedded.usage)


def _vector_alone(
    request: SearchRequest, step: tuple[Statement[LegRow], Mapping[str, Any]]
) -> Flow[tuple[list[LegRow], list[str]]]:
    """The vector leg where the caller takes the other one's hits for want of better: its failure undoes only itself."""
    deadline = request.context.for_one_leg().deadline
    timeout = None if deadline is None else _milliseconds(deadline.remaining())
    yield from batch((statements.savepoint, {}), (statements.limit, {"timeout": timeout}))
    try:
        (rows,) = yield from batch(step)
    except (DeadlineExceeded, UnavailableError) as error:
        request.context.check()
        yield from fetch(statements.roll_back)
        return [], [f"vector_leg_failed:{error.code}"]
    return rows, []


def _begin(request: SearchRequest, identity: Identity) -> dict[str, Any]:
    deadline = request.context.deadline
    return {
        "grant": identity.grant,
        "timeout": None if deadline is None else _milliseconds(deadline.remaining()),
        "single_login": "on" if identity.single_login else "off",
    }


def _milliseconds(seconds: float) -> int:
    # What statement_timeout takes: above 0, which would be no limit, and at most 24 days.
    return int(max(1, min(seconds * 1000, 2**31 - 1)))


def _legs(request: SearchRequest, row: LibraryRow) -> Legs:
    # Nothing can be embedded of a blank query; what asks for vectors finds nothing then, and says so.
    blank = request.mode is RetrievalMode.AUTO and not request.query.strip()
    return legs_of(RetrievalMode.ECONOMY if blank else request.mode, row.library_id, row.space)


def _spaces(libraries: Sequence[LibraryRow]) -> list[tuple[str, str | None]]:
    return [(row.library_id, row.space) for row in libraries]


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


def _reason(hits: int, request: SearchRequest, found: _Found) -> str | None:
    if hits == request.k:
        return None
    if hits or request.after is not None:
        return "fewer_matches"
    if not found.libraries:
        return "nothing_readable"
    if all(row.term_count == 0 for row in found.libraries) and not any(leg.vector for leg in found.legs.values()):
        return "no_searchable_term"
    return "no_match"


def _trace(request: SearchRequest, found: _Found) -> Flow[dict[str, Any]]:
    """What was looked for and how, from what the caller may read alone."""
    libraries = {}
    rankings = 0
    for row in found.libraries:
        terms = yield from fetch(statements.query_terms, version_no=row.version_no, query=request.query)
        of_legs = {"lexical": found.lexical, "vector": found.vector}
        runs = [leg for leg in of_legs if getattr(found.legs[row.library_id], leg)]
        rankings += len(runs)
        hits = {leg: [hit for hit in of_legs[leg] if hit.library_id == row.library_id] for leg in runs}
        libraries[row.library_id] = {
            "index_version": row.version,
            "analyzer": row.analyzer,
            "fields": dict(row.fields),
            "space": row.space,
            "strategy": {leg: (hits[leg][0].strategy if hits[leg] else "scan") for leg in runs},
            "matches": {leg: len(hits[leg]) for leg in runs},
            "terms": [
                {"lexeme": t.lexeme, "frequency": t.frequency, "chunks": t.chunk_count, "idf": t.idf} for t in terms
            ],
        }
    return {
        "mode": ran(request.mode, found.legs.values()).value,
        "fusion": method_of(request.fusion, found.libraries).value if rankings > 1 else None,
        "libraries": libraries,
    }
