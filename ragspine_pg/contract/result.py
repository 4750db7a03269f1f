"""What a search gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.usage import Usage


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored passage, its attribution, and why it ranks where it does.

    ``score`` is what the hit is ranked by, larger is better: the leg's score for one ranking, the fused one for
    several. ``scores`` and ``ranks`` hold each leg's own. ``text`` is verbatim: the slice at ``locator`` of the stored
    document. ``window_text`` is the parent window when expansion was asked for, with ``parent_locator`` its whole span;
    a window of more than 8,000 code points is shown in part, around the chunk.
    """

    rank: int
    score: float
    tenant: str
    library_id: str
    document_id: str
    chunk_id: str
    index_version: int
    locator: str
    parent_locator: str
    title: str
    source_uri: str
    text: str
    window_text: str
    metadata: Mapping[str, Any]
    sensitivity: Sensitivity
    scores: Mapping[str, float]
    ranks: Mapping[str, int]


def without_readable_documents(library_id: str) -> str:
    """The warning of a library that is unknown, or holds nothing that the caller may read: one for both."""
    return f"library_without_readable_documents:{library_id}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order, and what was searched.

    ``index_versions`` maps each library searched to its version. ``reason`` says why there are fewer than k hits:
    ``nothing_readable`` (no library of those asked for holds a document the caller may read), ``no_searchable_term``
    (analysis leaves nothing of the query), ``only_exclusions`` (the query looks for nothing), ``required_term_missing``
    (a demanded word occurs in nothing the caller may read), ``no_match``, ``fewer_matches``; None for k hits.
    ``warnings``: ``backstop_off`` under ``single_login``; ``library_without_readable_documents:<id>`` for a library
    that was asked for beside others, and is unknown or holds nothing the caller may read (a first page says so, never
    which); ``no_parent_window`` where windows were asked for and no hit has one; ``weights_without_effect`` where legs
    were weighed and no library was searched by both. ``trace`` is filled with ``explain=True``.
    """

    query: str
    mode: str
    hits: tuple[Hit, ...]
    index_versions: Mapping[str, int]
    reason: str | None
    warnings: tuple[str, ...] = ()
    cursor: str | None = None
    usage: Usage = field(default_factory=Usage, compare=False)
    trace: Mapping[str, Any] | None = field(default=None, compare=False)

    def to_json(self) -> str:
        """Canonical JSON (RFC 8785), without usage and trace: the bytes of ``ragspine.search_json`` in SQL."""
        return canonical_json(
            {
                "query": self.query,
                "mode": self.mode,
                "index_versions": dict(self.index_versions),
                "hits": [_hit(hit) for hit in self.hits],
                "reason": self.reason,
                "warnings": list(self.warnings),
                "cursor": self.cursor,
            }
        )


def _hit(hit: Hit) -> dict[str, Any]:
    written = {name: getattr(hit, name) for name in Hit.__slots__}
    written["sensitivity"] = hit.sensitivity.value
    written["metadata"] = dict(hit.metadata)
    written["scores"] = dict(hit.scores)
    written["ranks"] = dict(hit.ranks)
    return written
