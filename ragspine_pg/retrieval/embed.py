"""Stage embed: the query as a vector in each space that is searched."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.embedded import Embedded, vector_text
from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.known import KnownModels
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
    """What a retriever keeps from search to search: the models at hand, and what callers searched."""

    known: KnownModels = field(default_factory=KnownModels)
    seen: SeenLibraries = field(default_factory=SeenLibraries)


def embed_query(
    known: KnownModels, libraries: Iterable[LibraryRow], query: str, context: RetrievalContext
) -> Flow[tuple[dict[str, str], Usage]]:
    """The query in each of the libraries' spaces, by fingerprint, as a vector in pgvector's text form; and the cost.

    Raises ``EmbeddingError`` and ``ConfigurationError``.
    """
    models = {row.space: known.find(row.embedding) for row in libraries if row.space and row.embedding}
    vectors: dict[str, str] = {}
    usage = Usage()
    for space, model in sorted(models.items()):
        embedded = yield from work(partial(_embed, model, query, context))
        vectors[space] = vector_text(embedded.vectors[0])
        usage += embedded.usage
    return vectors, usage


def _embed(model: EmbeddingModel, query: str, context: RetrievalContext) -> Embedded:
    return embed_checked(
        model, [query], EmbeddingTask.RETRIEVAL_QUERY, context.deadline, cancellation=context.cancellation
    )
