"""Stage legs: runs the legs of a search, in one round trip where the caller's libraries were seen before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.cursor import Cursor
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.search_request import MAX_K, SearchRequest
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import (
    ConfigurationError,
    DeadlineExceeded,
    EmbeddingError,
    ModeUnavailable,
    QueryError,
    UnavailableError,
)
from ragspine_pg.flow.steps import Flow, Statement, batch, fetch, release
from ragspine_pg.retrieval.embed import QueryModels, embed_query
from ragspine_pg.retrieval.mode import Legs, legs_of
from ragspine_pg.retrieval.rank import FUSED_DEPTH, method_of
from ragspine_pg.statement import search as statements
from ragspine_pg.statement.search import LegRow, LibraryRow


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a search runs for, and the signed grant that proves it to the database."""

    access: Access
    grant: str
    single_login: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What the legs of a search came to: the libraries, the legs that each was searched by, and their rankings."""

    libraries: Sequence[LibraryRow]
    legs: Mapping[str, Legs]
    lexical: Sequence[LegRow]
    vector: Sequence[LegRow]
    warnings: tuple[str, ...]
    usage: Usage = field(default_factory=Usage)

    @property
    def settled(self) -> list[tuple[str, int, str | None]]:
        """What a guess must have been right about: which libraries, in which version and space."""
        return _settled(self.libraries)


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
    look = (statements.libraries, {"libraries": libraries, "versions": versions, "query": request.query})
    guess: Sequence[LibraryRow] | None = models.seen.find(caller)
    fresh = guess is None
    while True:
        if guess is None:
            _, seen = yield from batch((statements.begin, _begin(request, identity)), look)
            models.seen.store(caller, seen)
            yield from release()  # a model may take its time
            guess, fresh = seen, True
        try:
            legs = {row.library_id: _legs(request, row) for row in guess}
        except ModeUnavailable:
            if fresh:
                raise
            guess = None
            continue
        if any(leg.lexical and leg.vector for leg in legs.values()):
            # Of another depth the fused order would be another one.
            deep = max(depth, FUSED_DEPTH[method_of(request.fusion, guess)])
        else:
            deep = MAX_K if whole else depth
        try:
            found = yield from _run(request, identity, models, guess, legs, look, deep)
        except (EmbeddingError, ConfigurationError):
            if fresh:
                raise
            request.context.check()
            guess = None  # a model that fails may be one that is no longer asked for
            continue
        if found.settled == _settled(guess):
            return found
        guess, fresh = found.libraries, True
        models.seen.store(caller, guess)
        yield from release()


def _run(
    request: SearchRequest,
    identity: Identity,
    models: QueryModels,
    guess: Sequence[LibraryRow],
    legs: Mapping[str, Legs],
    look: tuple[Statement[LibraryRow], Mapping[str, Any]],
    depth: int,
) -> Flow[Found]:
    """Embed the query for the libraries in ``guess`` and run their legs."""
    hybrid = any(leg.lexical and leg.vector for leg in legs.values())
    if hybrid and request.min_score is not None:
        raise QueryError(
            "min_score is of one leg, and two run: name the leg, as in Fusion(min_scores={'lexical': 1.5})",
            argument="min_score",
        )
    least = dict.fromkeys(("lexical", "vector"), request.min_score)
    least.update(request.fusion.min_scores or {})
    worded = [row for row in guess if legs[row.library_id].lexical]
    embedded = [row for row in guess if legs[row.library_id].vector]
    partial = request.context.allow_partial and hybrid
    failed: list[str] = []
    vectors: dict[str, str] = {}
    usage = Usage()
    try:
        vectors, usage = yield from embed_query(models, embedded, request.query, request.context.for_one_leg())
        embedded = embedded if vectors else []
    except (EmbeddingError, DeadlineExceeded) as error:
        request.context.check()
        if not partial:
            raise
        failed.append(_failed(error))
        embedded = []
    of_both = {"depth": depth, "filter": request.filter_json}
    steps: list[tuple[Statement[Any], Mapping[str, Any]]] = [(statements.begin, _begin(request, identity)), look]
    if worded:
        query = {"query": request.query, "min_score": least["lexical"]}
        steps.append((statements.lexical_legs, {**of_both, **_places(worded), **query}))
    vector_step = (
        statements.vector_legs,
        {
            **of_both,
            **_places(embedded),
            "spaces": [row.space for row in embedded],
            "embeddings": [vectors[row.space or ""] for row in embedded],
            "min_score": least["vector"],
        },
    )
    begun, libraries, *rankings = yield from batch(*steps, *([vector_step] if embedded and not partial else []))
    lexical = rankings.pop(0) if worded else []
    vector = rankings.pop(0) if rankings else []
    if embedded and partial:
        vector = yield from _vector_alone(request, vector_step, failed)
    return Found(libraries, legs, lexical, vector, (*begun[0], *failed), usage)


def _vector_alone(
    request: SearchRequest, step: tuple[Statement[LegRow], Mapping[str, Any]], failed: list[str]
) -> Flow[list[LegRow]]:
    """The vector leg where the caller takes the other one's hits for want of better: its failure undoes only itself."""
    deadline = request.context.for_one_leg().deadline
    timeout = None if deadline is None else _milliseconds(deadline.remaining())
    yield from batch((statements.savepoint, {}), (statements.limit, {"timeout": timeout}))
    try:
        (rows,) = yield from batch(step)
    except (DeadlineExceeded, UnavailableError) as error:
        request.context.check()
        yield from fetch(statements.roll_back)
        failed.append(_failed(error))
        return []
    return rows


def _failed(error: EmbeddingError | DeadlineExceeded | UnavailableError) -> str:
    return f"vector_leg_failed:{error.code}"


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
