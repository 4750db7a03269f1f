"""Stage legs: runs the legs of a search, in one round trip where the caller's libraries were seen before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragspine_pg.contract.cursor import Cursor
from ragspine_pg.contract.identity import Identity
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.search_request import MAX_K, SearchRequest
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import (
    BudgetExceeded,
    Cancelled,
    ConfigurationError,
    DeadlineExceeded,
    EmbeddingError,
    QueryError,
    UnavailableError,
)
from ragspine_pg.flow.steps import Flow, Statement, batch, fetch, release
from ragspine_pg.retrieval.embed import EmbeddedQuery, QueryModels, embed_query
from ragspine_pg.retrieval.mode import Legs, legs_of
from ragspine_pg.retrieval.rank import FUSED_DEPTH, method_of
from ragspine_pg.statement import search as statements
from ragspine_pg.statement.search import LegRow, LibraryRow


@dataclass(frozen=True, slots=True)
class Found:
    """What the legs of a search came to: the libraries, the legs that each was searched by, and their rankings."""

    libraries: Sequence[LibraryRow]
    legs: Mapping[str, Legs]
    lexical: Sequence[LegRow]
    vector: Sequence[LegRow]
    warnings: tuple[str, ...]
    usage: Usage = field(default_factory=Usage)


def run_legs(
    request: SearchRequest, identity: Identity, models: QueryModels, cursor: Cursor | None, *, whole: bool
) -> Flow[Found]:
    """The rankings of all legs, from one snapshot.

    A query is embedded, and the legs are told their versions, as this caller's libraries were when last seen. The
    database says in the same round trip what they are; where that is something else, once more, now knowing better.
    """
    versions = None if cursor is None else dump_json(dict(cursor.versions))
    caller = (identity.access.tenant, identity.access.principals, request.libraries, versions)
    libraries = None if request.libraries is None else list(request.libraries)
    depth = request.k + (0 if cursor is None else cursor.count)
    look = (statements.libraries, {"libraries": libraries, "versions": versions})
    guess: Sequence[LibraryRow] | None = models.seen.find(caller)
    if guess is not None and request.mode is not RetrievalMode.ECONOMY and any(map(_leaves_the_house, guess)):
        guess = None  # no query is sent to a service that the libraries may have left since
    fresh = guess is None
    query = EmbeddedQuery()  # of one space it is embedded once, however often the guess was wrong
    while True:
        if guess is None:
            opening = yield from statements.opening(identity, request.context)
            *_, seen = yield from batch(*opening, look)
            models.seen.store(caller, seen)
            yield from release()  # a model may take its time
            guess, fresh = seen, True
        try:
            plan = yield from _prepare(request, models, guess, query, depth, whole=whole)
        except (GeneratorExit, Cancelled, DeadlineExceeded):
            models.seen.forget(caller)  # given up while a model was asked, which may be the one of an old guess
            raise
        except (QueryError, EmbeddingError, ConfigurationError):
            if fresh:
                raise
            guess = None  # the mode, the space or the model may be one that is no longer asked for
            continue
        found = yield from _run(request, identity, plan, look)
        if _settled(found.libraries) == _settled(guess):
            return replace(found, usage=query.usage)
        guess, fresh = found.libraries, True
        models.seen.store(caller, guess)
        yield from release()


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the legs are to do: the libraries of each, how deep it goes, and the query in each space.

    ``partial``: the vector leg runs by itself, so that its failure costs nothing else. ``failed`` holds a warning when
    it has failed already.
    """

    legs: Mapping[str, Legs]
    depth: int
    by_words: Sequence[LibraryRow]
    by_vector: Sequence[LibraryRow]
    vectors: Mapping[str, str]
    partial: bool
    failed: tuple[str, ...]


def _prepare(
    request: SearchRequest,
    models: QueryModels,
    libraries: Sequence[LibraryRow],
    query: EmbeddedQuery,
    depth: int,
    *,
    whole: bool,
) -> Flow[_Plan]:
    """Choose the legs of ``libraries`` and embed the query for them; no database is needed.

    Raises ``ModeUnavailable``, ``QueryError``, ``EmbeddingError``, ``ConfigurationError``.
    """
    legs = {row.library_id: _legs(request, row) for row in libraries}
    hybrid = any(leg.lexical and leg.vector for leg in legs.values())
    if hybrid and request.min_score is not None:
        raise QueryError(
            "min_score is of one leg, and two run: name the leg, as in Fusion(min_scores={'lexical': 1.5})",
            argument="min_score",
        )
    if hybrid:
        # Of another depth the fused order would be another one.
        depth = max(depth, FUSED_DEPTH[method_of(request.fusion, libraries)])
    elif whole:
        depth = MAX_K
    by_words = [row for row in libraries if legs[row.library_id].lexical]
    by_vector = [row for row in libraries if legs[row.library_id].vector]
    partial = request.context.allow_partial and hybrid
    failed: tuple[str, ...] = ()
    try:
        yield from embed_query(models, by_vector, request.query, request.context.for_one_leg(), query)
    except (EmbeddingError, DeadlineExceeded, BudgetExceeded) as error:
        request.context.check()
        if not partial:
            raise
        by_vector, failed = [], (_failed(error),)
    by_vector = [row for row in by_vector if row.space in query.vectors]  # nothing can be embedded of a blank query
    return _Plan(legs, depth, by_words, by_vector, query.vectors, partial, failed)


def _run(
    request: SearchRequest,
    identity: Identity,
    plan: _Plan,
    look: tuple[Statement[LibraryRow], Mapping[str, Any]],
) -> Flow[Found]:
    """Run the legs as planned."""
    least = dict.fromkeys(("lexical", "vector"), request.min_score)
    least.update(request.fusion.min_scores or {})
    of_both = {"query": request.query, "depth": plan.depth, "filter": request.filter_json}
    opening = yield from statements.opening(identity, request.context)
    steps = [*opening, look]
    if plan.by_words:
        places = _places(plan.by_words)
        steps.append((statements.lexical_legs, {**of_both, **places, "min_score": least["lexical"]}))
    vector_step = (
        statements.vector_legs,
        {
            **of_both,
            **_places(plan.by_vector),
            "spaces": [row.space for row in plan.by_vector],
            "embeddings": [plan.vectors[row.space or ""] for row in plan.by_vector],
            "min_score": least["vector"],
        },
    )
    if plan.by_vector and not plan.partial:
        steps += [*statements.tightening(request.context), vector_step]
    begun, libraries, *rankings = (yield from batch(*steps))[len(opening) - 1 :]
    lexical = rankings.pop(0) if plan.by_words else []
    vector = rankings.pop() if rankings else []
    failed, legs = plan.failed, plan.legs
    if plan.by_vector and plan.partial:
        vector, late = yield from _vector_alone(request, vector_step)
        failed += late
    if failed:  # what is told, ranked and scored is the search that took place
        legs = {library: replace(leg, vector=False) for library, leg in legs.items()}
    return Found(libraries, legs, lexical, vector, (*begun[0], *failed))


def _vector_alone(
    request: SearchRequest, step: tuple[Statement[LegRow], Mapping[str, Any]]
) -> Flow[tuple[list[LegRow], tuple[str, ...]]]:
    """The vector leg where the caller takes the other one's hits for want of better: its failure undoes only itself."""
    timeout = statements.statement_timeout(request.context.for_one_leg())
    yield from batch((statements.savepoint, {}), (statements.limit, {"timeout": timeout}))
    try:
        rows, _ = yield from batch(step, (statements.roll_back, {}))  # the limit, too, was this leg's alone
    except (DeadlineExceeded, UnavailableError) as error:
        request.context.check()
        yield from fetch(statements.roll_back)
        return [], (_failed(error),)
    return rows, ()


def _leaves_the_house(row: LibraryRow) -> bool:
    return bool((row.embedding or {}).get("remote", False))


def _failed(error: EmbeddingError | QueryError | UnavailableError) -> str:
    return f"vector_leg_failed:{error.code}"


def _places(libraries: Sequence[LibraryRow]) -> dict[str, Any]:
    return {
        "library_ids": [row.library_id for row in libraries],
        "version_nos": [row.version_no for row in libraries],
    }


def _legs(request: SearchRequest, row: LibraryRow) -> Legs:
    # Nothing can be embedded of a blank query; what asks for vectors finds nothing then, and says so.
    blank = request.mode is RetrievalMode.AUTO and not request.query.strip()
    return legs_of(RetrievalMode.ECONOMY if blank else request.mode, row.library_id, row.space)


def _settled(libraries: Sequence[LibraryRow]) -> list[tuple[str, int, str | None]]:
    return [(row.library_id, row.version_no, row.space) for row in libraries]
