"""Why a document ranks where it does, or why it is absent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal[
    "hit",
    "below_k",
    "beyond_depth",
    "filtered",
    "no_query_term",
    "demands_unmet",
    "not_readable",
    "unknown_document",
    "restricted",
]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One document's fate in a search.

    ``verdict``: ``hit`` (its best chunk is among the k), ``below_k`` (``rank`` says where, ``gap`` how much score is
    missing to the k-th), ``beyond_depth`` (it may match, behind the first 1,000 chunks), ``filtered`` (the metadata
    filter excludes it), ``no_query_term`` (no searchable word of the query is in it), ``demands_unmet`` (no chunk of it
    holds what the query's operators demand). To a caller that may not read the
    document it is always ``not_readable``, whether it exists or not; the ingest authority is told ``unknown_document``,
    ``restricted`` or ``not_readable`` apart. ``terms`` are the query's words over what the caller may read,
    ``contributions`` what each adds to the lexical score of the best chunk: added up in their order, in float64, they
    are that score.
    """

    document_id: str
    library_id: str
    verdict: Verdict
    detail: str
    rank: int | None = None
    score: float | None = None
    gap: float | None = None
    chunk_id: str | None = None
    terms: tuple[Mapping[str, Any], ...] = ()
    contributions: tuple[Mapping[str, Any], ...] = ()
