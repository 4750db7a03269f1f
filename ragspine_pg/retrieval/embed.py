"""Stage embed: the query as a vector in each space that is searched."""

import threading
from array import array
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import Any, Final

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.embedded import Embedded, vector_text
from ragspine_pg.contract.name import require_text
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import QueryError
from ragspine_pg.flow.steps import Flow, work
from ragspine_pg.statement.search import LibraryRow

_KEPT: Final = 1024


class SeenLibraries:
    """What callers were seen to search, so that the next query can be embedded before the database is asked.

    The legs say what they searched, and a search whose guess was wrong is made again: nothing here decides a result.
    Holds at most 1,024 callers. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[Hashable, tuple[LibraryRow, ...]] = OrderedDict()

    def find(self, caller: Hashable) -> tuple[LibraryRow, ...] | None:
        """The libraries that this caller last searched."""
        with self._lock:
            if (found := self._seen.get(caller)) is not None:
                self._seen.move_to_end(caller)
            return found

    def store(self, caller: Hashable, libraries: Sequence[LibraryRow]) -> None:
        """Remember them; the callers that were longest not seen are forgotten."""
        with self._lock:
            self._seen[caller] = tuple(libraries)
            self._seen.move_to_end(caller)
            while len(self._seen) > _KEPT:
                self._seen.popitem(last=False)


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
        if not numbers or not all(map(isfinite, numbers)):
            raise QueryError("query_embedding is a sequence of finite numbers", argument="query_embedding")
        return cls(kept.known, kept.seen, {space: vector_text(numbers)})


def embed_query(
    models: QueryModels, libraries: Iterable[LibraryRow], query: str, context: RetrievalContext
) -> Flow[tuple[dict[str, str], Usage]]:
    """The query in each of the libraries' spaces, by fingerprint, as a vector in pgvector's text form; and the cost.

    Raises ``EmbeddingError`` and ``ConfigurationError``; ``QueryError`` for a vector that was given in another space.
    """
    if models.given is not None:
        for row in libraries:
            if row.space not in models.given:
                raise QueryError(
                    f"query_space is not the space of {row.library_id!r}: embed the query as its profile says",
                    argument="query_space",
                    library=row.library_id,
                )
        return dict(models.given), Usage()
    if not query.strip():
        return {}, Usage()  # nothing can be embedded of it
    profiles = {row.space: row.embedding for row in libraries if row.space and row.embedding}
    vectors: dict[str, str] = {}
    usage = Usage()
    for space, profile in sorted(profiles.items()):
        embedded = yield from work(partial(_embed, models.known, profile, query, context))
        vectors[space] = vector_text(embedded.vectors[0])
        usage += embedded.usage
    return vectors, usage


def _embed(known: KnownModels, profile: Mapping[str, Any], query: str, context: RetrievalContext) -> Embedded:
    """Finding a model can mean to load it, which takes seconds."""
    return embed_checked(
        known.find(profile),
        [query],
        EmbeddingTask.RETRIEVAL_QUERY,
        context.deadline,
        cancellation=context.cancellation,
    )
