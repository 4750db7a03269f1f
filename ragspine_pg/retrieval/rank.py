"""Stage rank: the legs' rankings made one, by ids, ranks and scores alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragspine_pg.contract.fusion import Fusion, FusionMethod, leg_weights
from ragspine_pg.errors import QueryError
from ragspine_pg.retrieval.fuse import convex_fuse, rrf_fuse
from ragspine_pg.retrieval.mode import Legs
from ragspine_pg.statement.search import LegRow, LibraryRow

FUSED_DEPTH = {FusionMethod.RRF: 100, FusionMethod.CONVEX: 1000}
"""How deep each leg goes at least where both run; ``search_hits_v1`` has the same.

A convex sum takes a document's absence from a leg for the leg's lowest score, so it wants to see far down: at depth 100
nDCG@10 was 0.543, 0.451 and 0.726 on cacm, cisi and scifact, at 1,000 it is 0.560, 0.461 and 0.728.
"""

_Id = tuple[str, str]
_Rows = dict[str, dict[str, LegRow]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk in the final order: where it is, what it is ranked by, and its rows of the legs."""

    version_no: int
    chunk_no: int
    library_id: str
    chunk_id: str
    score: float
    lexical: LegRow | None
    vector: LegRow | None


def method_of(fusion: Fusion, libraries: Sequence[LibraryRow]) -> FusionMethod:
    """The method asked for, else the one that all versions searched agree on, else reciprocal rank."""
    if fusion.method is not None:
        return FusionMethod(fusion.method)
    methods = {(row.fusion or {}).get("method", "rrf") for row in libraries}
    return FusionMethod(methods.pop()) if len(methods) == 1 else FusionMethod.RRF


def rank(
    libraries: Sequence[LibraryRow],
    legs: Mapping[str, Legs],
    lexical: Sequence[LegRow],
    vector: Sequence[LegRow],
    fusion: Fusion,
) -> Iterator[Ranked]:
    """One ranking as it is; several fused: scores of two corpora, or of two legs, do not compare.

    Raises ``QueryError`` when all rankings weigh nothing.
    """
    by_words, by_meaning = _by_library(lexical), _by_library(vector)
    method = method_of(fusion, libraries)
    rankings: list[list[tuple[_Id, float]]] = []
    weights: list[float] = []
    for row in libraries:
        chosen = legs[row.library_id]
        shares = leg_weights(fusion, row.fusion, method, row.library_id, chosen.lexical, chosen.vector)
        found = (by_words, by_meaning)
        for of_leg, runs, share in zip(found, (chosen.lexical, chosen.vector), shares, strict=True):
            if runs:
                hits = of_leg.get(row.library_id, {})
                rankings.append([((row.library_id, chunk_id), hit.score) for chunk_id, hit in hits.items()])
                weights.append(share)
    if len(rankings) < 2:
        ordered = rankings[0] if rankings else []
    elif not sum(weights) > 0:
        raise QueryError("all rankings that are fused weigh 0", argument="weights")
    elif method is FusionMethod.RRF:
        ordered = rrf_fuse([[item for item, _ in ranking] for ranking in rankings], weights=weights)
    else:
        ordered = convex_fuse(rankings, weights=weights)
    versions = {row.library_id: row.version_no for row in libraries}
    return _located(ordered, versions, by_words, by_meaning)


def _located(
    ordered: Sequence[tuple[_Id, float]], versions: Mapping[str, int], lexical: _Rows, vector: _Rows
) -> Iterator[Ranked]:
    """One at a time: the legs go deeper than a page."""
    nothing: dict[str, LegRow] = {}
    for (library_id, chunk_id), score in ordered:
        first = lexical.get(library_id, nothing).get(chunk_id)
        second = vector.get(library_id, nothing).get(chunk_id)
        chunk_no = (first or second).chunk_no  # type: ignore[union-attr]
        yield Ranked(versions[library_id], chunk_no, library_id, chunk_id, score, first, second)


def _by_library(rows: Sequence[LegRow]) -> _Rows:
    """A leg's rows by library id and chunk id, in their order."""
    found: _Rows = {}
    for row in rows:
        found.setdefault(row.library_id, {})[row.chunk_id] = row
    return found
