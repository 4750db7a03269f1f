"""Stage embed: the query as a vector in each space that is searched."""

import threading
from array import array
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import Final

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.embedded import Embedded, vector_text
from ragspine_pg.contract.name import require_text
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import MAX_DIMENSIONS
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import ConfigurationError, EmbeddingError, QueryError
from ragspine_pg.flow.steps import Flow, work
from ragspine_pg.statement.search import LibraryRow

_KEPT: Final = 8192


class SeenLibraries:
    """What callers were seen to search, so that the next query can be embedded before the database is asked.

    The legs say what they searched, and a search whose guess was wrong is made again: nothing here decides a result.
    Holds at most 8,192 libraries (a few KB each), a caller without any counting as one. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[Hashable, tuple[LibraryRow, ...]] = OrderedDict()
        self._size = 0

    def find(self, caller: Hashable) -> tuple[LibraryRow, ...] | None:
        """The libraries that this caller last searched."""
        with self._lock:
            if (found := self._seen.get(caller)) is not None:
                self._seen.move_to_end(caller)
            return found

    def forget(self, caller: Hashable) -> None:
        """Look again next time."""
        with self._lock:
            if (forgotten := self._seen.pop(caller, None)) is not None:
                self._size -= max(1, len(forgotten))

    def store(self, caller: Hashable, libraries: Sequence[LibraryRow]) -> None:
        """Remember them; the callers that were longest not seen are forgotten."""
        with self._lock:
            forgotten = self._seen.pop(caller, None)
            self._size += max(1, len(libraries)) - (0 if forgotten is None else max(1, len(forgotten)))
            self._seen[caller] = tuple(libraries)
            while self._size > _KEPT:
                _, forgotten = self._seen.popitem(last=False)
                self._size -= max(1, len(forgotten))


@dataclass(frozen=True, slots=True)
class QueryModels:
    """What a retriever keeps from search to search: the models at hand, and what callers searched.

    ``given``: the query of this one search, embedded by the caller: its vector in pgvector's text form by its space.
    """

    known: KnownModels = field(default_factory=KnownModels)
    seen: SeenLibraries = field(default_factory=SeenLibraries)
    given: Mapping[str, str] | None = None

    @classmethod
    def of_vector(cls, vector: Sequence[float], space: str, kept: "QueryModels") -> "QueryModels":
        """Those for a search by ``vector``; raises ``QueryError`` for what is no vector."""
        require_text("query_space", space, QueryError)
        try:
            numbers = None if isinstance(vector, str | bytes) else array("f", vector)
        except (TypeError, ValueError, OverflowError):
            numbers = None
        if not numbers or len(numbers) > MAX_DIMENSIONS or not all(map(isfinite, numbers)):
            raise QueryError(
                f"query_embedding is a sequence of 1 to {MAX_DIMENSIONS:,} finite numbers", argument="query_embedding"
            )
        return cls(kept.known, kept.seen, {space: vector_text(numbers)})


@dataclass(slots=True)
class EmbeddedQuery:
    """A query's vectors, in pgvector's text form by space, and what they have cost so far."""

    vectors: dict[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


def embed_query(
    models: QueryModels, libraries: Iterable[LibraryRow], query: str, context: RetrievalContext, into: EmbeddedQuery
) -> Flow[None]:
    """The query in each of the libraries' spaces, by fingerprint: those that are not there yet are added to ``into``.

    Raises ``EmbeddingError``, ``ConfigurationError`` and ``BudgetExceeded``; ``QueryError`` for a vector that was given
    in another space.
    """
    if models.given is not None:
        for row in libraries:
            if row.space not in models.given:
                raise QueryError(
                    f"query_space is not the space of {row.library_id!r}: embed the query as its profile says",
                    argument="query_space",
                    library=row.library_id,
                )
        into.vectors.update(models.given)
    elif query.strip():  # nothing can be embedded of a blank one
        rows = {row.space: row for row in libraries if row.space and row.embedding}
        for space in sorted(rows.keys() - into.vectors.keys()):
            embedded = yield from work(partial(_embed, models.known, rows[space], query, context))
            into.vectors[space] = vector_text(embedded.vectors[0])
            into.usage += embedded.usage


def _embed(known: KnownModels, row: LibraryRow, query: str, context: RetrievalContext) -> Embedded:
    """Finding a model can mean to load it, which takes seconds. An error names the library that asked for it."""
    try:
        return embed_checked(
            known.find(row.embedding or {}, context.deadline),
            [query],
            EmbeddingTask.RETRIEVAL_QUERY,
            context.deadline,
            cancellation=context.cancellation,
            budget=context.budget,
            idempotency_key=context.idempotency_key,
        )
    except (ConfigurationError, EmbeddingError) as error:
        raise type(error)(f"library {row.library_id!r}: {error}", **{**error.ids, "library": row.library_id}) from None
