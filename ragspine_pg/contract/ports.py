"""Protocols: the seams where an application can put something of its own.

Each docstring names who calls it, which errors it may raise, and the test an implementation owes.
"""

from typing import Protocol, runtime_checkable

from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.result import SearchResult


@runtime_checkable
class Chunker(Protocol):
    """Cuts a document into retrievable passages.

    *Called by* the ingest pipeline (stage split) at every ingest and rebuild, in any thread; it does no I/O.

    *Errors*: ``InvalidDocument`` for a document it cannot cut. What it returns is checked before anything is written
    (``ragspine_pg.chunking.check_provenance``), and a breach rolls the ingest back as ``VerificationFailed``.

    *Test owed*: ``tests/conformance/test_chunker_provenance.py``. Every chunk is the verbatim slice
    ``document.text[start:end]``; chunks stand in the order of the text; every character that is no whitespace lies
    in one; the same title and text give the same chunks; no chunk can exceed the store's limit of distinct lexemes;
    a parent window contains its child. A title without text is one empty chunk, a document with neither has none.
    """

    @property
    def name(self) -> str:
        """How ``make_chunker`` and an index version's profile call it."""

    @property
    def fingerprint(self) -> str:
        """A short stable text of policy and version: it enters chunk ids and the profile of the index version."""

    @property
    def target_length(self) -> int:
        """A hint: the length in code points that a full chunk aims at. The default length pivot derives from it."""

    def chunk(self, document: Document) -> list[Chunk]:
        """The document's chunks, a function of its title and text alone."""


@runtime_checkable
class NarrativeRetriever(Protocol):
    """Finds stored passages for a query, as a caller that was bound when it was made.

    *Called by* whatever builds a prompt or an answer. *Errors*: ``QueryError`` and ``UnavailableError``. *Test owed*:
    the isolation packs of ``tests/conformance``: it returns stored passages only, each one readable by its caller.
    """

    def retrieve(self, query: str, *, metadata_filter: MetadataFilter | None = None, top_k: int = 10) -> SearchResult:
        """At most ``top_k`` passages, best first; the filter narrows before scoring."""
