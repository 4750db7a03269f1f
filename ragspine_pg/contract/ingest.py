"""What the ingest authority gives back: reports, progress and numbers, all frozen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.usage import Usage


class Unchanged(Enum):
    """The type of ``UNCHANGED``; an enum, so that a type checker can tell it from every value."""

    UNCHANGED = "unchanged"


MAX_INDEXED_DIMENSIONS: Final = 4000
"""The longest vectors that pgvector's HNSW takes, as half-precision ones from 2,001 on; longer ones are scanned."""

UNCHANGED = Unchanged.UNCHANGED
"""Stands for "leave it as it is" where None has a meaning of its own (readers None: every member)."""

OnDuplicate: TypeAlias = Literal["error", "last"]
"""What an ingest does about one document id twice in one call: refuse the call, or keep the last, whatever it holds.

An empty document (neither title nor text) that comes last counts as such: it is reported as skipped, what came before
it in the call is not stored, and a document of that id that is stored already stays as it is.
"""

Statistics: TypeAlias = Literal["class", "library"]
"""What BM25 counts in a library: what the caller may read, or all that is not RESTRICTED (``docs/security.md``)."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long call is. ``done`` and ``total`` count documents (stage ``read``) or what the stage works on.

    ``total`` is None while it is not known; ``seconds`` since the call began; ``rate`` is done per second of the stage.
    """

    stage: str
    done: int
    total: int | None
    seconds: float
    rate: float


@dataclass(frozen=True, slots=True)
class SkippedDocument:
    """A document that was handed in and not stored, and why; a stored document of its id stays as it is."""

    document_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. Every stored document counts once, in the first group it belongs to.

    ``added``: new. ``changed``: new text, title or chunks. ``relabelled``: new readers or sensitivity. ``updated``: new
    metadata, source or language. ``unchanged``: nothing of it was written. ``chunks`` were written, ``removed_chunks``
    deleted (in every version). ``replaced``: earlier documents of an id that came again (``on_duplicate="last"``),
    empty ones among them. ``skipped``: empty documents. Each document of the call is in one group, ``replaced`` or
    ``skipped``. ``usage`` is what embedding cost. ``warnings``: what is stored as it was given and may not be meant,
    such as documents that more may read now than before the call.
    """

    added: int
    changed: int
    relabelled: int
    updated: int
    unchanged: int
    chunks: int
    removed_chunks: int
    replaced: int
    skipped: tuple[SkippedDocument, ...]
    version: int
    seconds: float
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()

    @property
    def documents(self) -> int:
        """How many documents the call left in the store as it was told to, new and old."""
        return self.added + self.changed + self.relabelled + self.updated + self.unchanged


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """A library as the ingest authority sees it; ``documents`` over all readers, ``version`` the published one."""

    tenant: str
    library_id: str
    description: str
    documents: int
    version: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """An index version: how a library's documents are indexed, or were, or will be.

    ``state``: ``building``, ``verified`` (may be published), ``published``, ``retired`` (was published, and can be
    again), ``failed`` (did not pass its checks) or ``dropped`` (its rows are being deleted). ``pending`` documents are
    not in it yet, or not as they are now; they will be before it is published. ``model_missing``: why its embedding
    model cannot be had, as a publish or rollback of it found; None where it can, and where nobody tried.
    """

    version: int
    state: str
    analyzer: str
    k1: float
    b: float
    pivot: float
    profile: Mapping[str, Any]
    environment: str
    lexeme_count: int
    created_at: datetime
    published_at: datetime | None
    pending: int
    model_missing: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What whoever made or published it should know: vectors no index takes, a model that is missing."""
        found = []
        dimensions = self.profile.get("embedding", {}).get("space", {}).get("dimensions", 0)
        if dimensions > MAX_INDEXED_DIMENSIONS:
            found.append(
                f"vectors of {dimensions:,} dimensions have no index (it ends at {MAX_INDEXED_DIMENSIONS:,}): every"
                " search by vector reads all that its caller may read"
            )
        if self.model_missing is not None:
            found.append(
                f'{self.model_missing}; until then searches answer with mode="economy" alone, and ingests and relabels'
                " of text that is to be embedded fail"
            )
        return tuple(found)


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did. ``version`` is ready to be published.

    ``resumed``: it went on with a version that an earlier call had begun. ``documents`` and ``chunks`` were put into it
    by this call; ``usage`` is what embedding cost. ``pending`` documents were stored or changed too late for it, by
    writers that were faster; ``publish`` puts them in.
    """

    version: int
    resumed: bool
    documents: int
    chunks: int
    seconds: float
    usage: Usage = field(default_factory=Usage)
    pending: int = 0


@dataclass(frozen=True, slots=True)
class ClassStats:
    """One combination of sensitivity and readers (None: every member) in use, and how much of the library it holds."""

    sensitivity: Sensitivity
    readers: frozenset[str] | None
    documents: int
    chunks: int
    total_length: int


@dataclass(frozen=True, slots=True)
class LibraryStats:
    """Numbers about a library's published version, over all classes: for its administrator, never for a reader.

    ``characters`` in code points; ``total_length`` in lexemes, repeated ones included; ``statistic_rows`` is what
    ``optimize`` folds.
    """

    documents: int
    characters: int
    chunks: int
    total_length: int
    lexemes: int
    statistic_rows: int
    classes: tuple[ClassStats, ...]


@dataclass(frozen=True, slots=True)
class FoldReport:
    """What ``optimize`` did: rows of statistics deleted, and the rows that now hold their sums; and how many chunks
    were sealed in postings, those included that were in a smaller run before.

    ``vector_index``: ``built``, ``present``, ``not_needed`` (below 20,000 chunks a scan is as good), or None where
    there was no owner's login that can build one; ``no_vector_index`` says why the one there was cannot.
    """

    rows_before: int
    rows_after: int
    sealed_chunks: int = 0
    vector_index: str | None = None
    no_vector_index: str | None = None
