"""A result with fewer, or other, hits than its retriever gave: its reason says what is true of them."""

from collections.abc import Iterable
from dataclasses import replace

from ragspine_pg.contract.result import Hit, SearchResult


def with_hits(result: SearchResult, hits: Iterable[Hit], k: int, *, warnings: Iterable[str] = ()) -> SearchResult:
    """``result`` with ``hits`` in their order, of which k were asked for, ranked from 1; it cannot be continued.

    ``warnings`` are added to those it has.
    """
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
    reason = result.reason
    if reason in (None, "fewer_matches"):
        reason = None if len(ranked) >= k else "fewer_matches"
    return replace(result, hits=ranked, reason=reason, warnings=(*result.warnings, *warnings), cursor=None)
