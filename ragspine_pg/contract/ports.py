"""Protocols: the seams where an application can put something of its own.

Each docstring names who calls it, which errors it may raise, and the test an implementation owes.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from ragspine_pg.contract.chunk import Chunk
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.embedded import Embedded
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.judgement import Judgement
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.contract.space import EmbeddingSpace


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


class EmbeddingTask(StrEnum):
    """What a vector is for: many models embed a document and a question about it in different ways."""

    RETRIEVAL_DOCUMENT = "retrieval_document"
    RETRIEVAL_QUERY = "retrieval_query"


@runtime_checkable
class EmbeddingModel(Protocol):
    """Turns texts into vectors of one space.

    *Called by* ``ragspine_pg.embedding.embed_checked`` alone: at ingest and rebuild with documents, at a search with
    its query; in any thread, and in several at once when it carries ``limits`` (an ``EmbeddingLimits``, optional) with
    a ``concurrency`` above 1. It is handed no blank text, and never more than its limits (by default 64 texts or
    100,000 code points a call). RESTRICTED text reaches no model, CONFIDENTIAL text none that is ``remote`` unless the
    library opts in.

    ``embed`` may take a further keyword, ``idempotency_key: str | None = None``, and is then handed the key of a search
    that has one. It names the *call*; a model adds to it what tells the call's requests apart, by what they send.

    *Errors*: ``EmbeddingUnavailable`` when trying again later can help, ``DeadlineExceeded`` past the deadline (it
    starts no attempt after it, and waits for none beyond it), ``InvalidEmbeddingInput`` for a text it would have to
    cut, with ``position=`` its index in ``texts``. No error quotes a text. What it returns is checked: a wrong count,
    a wrong length, a number that is not finite or a zero vector is ``EmbeddingRejected``, and nothing is written.

    *Test owed*: ``tests/conformance/test_embedding_models.py``. Vectors come in the order of the texts and do not
    depend on how those were batched; the same text gives the same vector (within float32 rounding); a text that is
    found relevant by eye is nearer than one that is not; ``make_embedding_model(name, **options)`` makes it again with
    an equal space.
    """

    @property
    def name(self) -> str:
        """How ``make_embedding_model`` and an index version's profile call it."""

    @property
    def options(self) -> Mapping[str, Any]:
        """What ``make_embedding_model`` needs to make it again, as JSON values; never a secret."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space of its vectors."""

    @property
    def remote(self) -> bool:
        """Whether texts leave this host's trust: they are sent to somebody else's service."""

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text, in order; the task chooses the space's prefix, which the model puts before each text."""


@runtime_checkable
class NarrativeRetriever(Protocol):
    """Finds stored passages for a query, as a caller that was bound when it was made.

    *Called by* whatever builds a prompt or an answer. *Errors*: ``QueryError`` and ``UnavailableError``. *Test owed*:
    the isolation packs of ``tests/conformance``: it returns stored passages only, each one readable by its caller.
    """

    def retrieve(self, query: str, *, metadata_filter: MetadataFilter | None = None, top_k: int = 10) -> SearchResult:
        """At most ``top_k`` passages, best first; the filter narrows before scoring."""


@runtime_checkable
class AsyncNarrativeRetriever(Protocol):
    """``NarrativeRetriever``, awaited; called, failing and tested likewise."""

    async def retrieve(
        self, query: str, *, metadata_filter: MetadataFilter | None = None, top_k: int = 10
    ) -> SearchResult:
        """At most ``top_k`` passages, best first; the filter narrows before scoring."""


class Searcher(Protocol):
    """What can be searched as somebody: a ``Retriever``, or one of the retrievers that wrap another.

    *Called by* those, with the arguments of ``Retriever.search``; they hand on what they do not know. *Errors*: those
    of ``Retriever.search``. *Test owed*: the isolation packs of ``tests/conformance``.
    """

    @property
    def search(self) -> Callable[..., SearchResult]:
        """``search(query, *, access, libraries=None, k=10, metadata_filter=None, …)``."""


class AsyncSearcher(Protocol):
    """``Searcher``, awaited: an ``AsyncRetriever``, or one of those that wrap another. As ``Searcher`` in all else."""

    @property
    def search(self) -> Callable[..., Awaitable[SearchResult]]:
        """``await search(query, *, access, libraries=None, k=10, metadata_filter=None, …)``."""


@runtime_checkable
class LibraryRouter(Protocol):
    """Chooses which libraries a query is worth searching in.

    *Called by* ``MultiIndexRetriever`` before each search, in any thread, with the libraries that the caller may read
    and asked for, and with no others. *Errors*: any; it is ``SeamFailed``, or with ``on_error="report"`` a warning and
    a search of all of them. It can only choose: ids that it was not handed are ignored, repeated ones count once, and
    none at all means all.

    *Test owed*: ``tests/conformance/test_multi_index_isolation.py``.
    """

    @property
    def name(self) -> str:
        """How ``make_library_router`` calls it."""

    def route(self, query: str, libraries: Sequence[LibraryDescription]) -> Iterable[str]:
        """The ids of the libraries to search."""


@runtime_checkable
class FilterExtractor(Protocol):
    """Reads a metadata filter out of a query.

    *Called by* ``FilterExtractingRetriever`` before each search, in any thread. *Errors*: any; it is ``SeamFailed``.
    What it gives is joined to the caller's own filter by ``all_of``, so it can only narrow, and is reported.

    *Test owed*: ``tests/conformance/test_filter_extractors.py``.
    """

    @property
    def name(self) -> str:
        """How ``make_filter_extractor`` calls it."""

    def extract(self, query: str) -> MetadataFilter | None:
        """The filter that the query's words ask for, or None when they ask for none."""


@runtime_checkable
class Reranker(Protocol):
    """Judges how well texts answer a query.

    *Called by* ``RerankingRetriever``, in a thread of the call's own, with texts that came through the exit ``rerank``:
    readable by the caller, never RESTRICTED, CONFIDENTIAL only where a judge is not ``remote`` or the library opted in.

    ``rerank`` may take a further keyword, ``idempotency_key: str | None = None``, as ``EmbeddingModel.embed`` may.

    *Errors*: any. A judge that fails, takes too long, or does not judge every text once with a finite score costs the
    caller nothing but time: the hits keep their order, and the result warns ``reranker_failed:<code>``.

    *Test owed*: ``tests/conformance/test_rerank_exit.py`` and ``test_rerank_fallback.py``.
    """

    @property
    def name(self) -> str:
        """How ``make_reranker`` calls it."""

    @property
    def remote(self) -> bool:
        """Whether texts leave this host's trust: they are sent to somebody else's service."""

    def rerank(self, query: str, texts: Sequence[str], *, deadline: Deadline | None = None) -> Iterable[Judgement]:
        """One judgement for each text, in any order."""
