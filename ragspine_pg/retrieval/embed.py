"""Stage embed: the query as a vector in each space that is searched."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.ports import EmbeddingTask
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


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """The query in each space, as parallel lists: the spaces' fingerprints, and the vectors in pgvector's text form."""

    spaces: list[str] = field(default_factory=list)
    embeddings: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


def embed_query(
    known: KnownModels, libraries: Iterable[LibraryRow], query: str, context: RetrievalContext
) -> Flow[EmbeddedQuery]:
    """Embed ``query`` once in each of the libraries' spaces. Raises ``EmbeddingError`` and ``ConfigurationError``."""
    profiles = {row.space: row.embedding for row in libraries if row.space and row.embedding}
    embedded = EmbeddedQuery()
    items = tokens = calls = 0
    for space, profile in sorted(profiles.items()):
        found = yield from work(partial(_embed, known, profile, query, context))
        embedded.spaces.append(space)
        embedded.embeddings.append(found[0])
        items, tokens, calls = items + found[1].items, tokens + found[1].tokens, calls + found[1].calls
    return EmbeddedQuery(embedded.spaces, embedded.embeddings, Usage(items=items, tokens=tokens, calls=calls))


def _embed(known: KnownModels, profile: Mapping[str, Any], query: str, context: RetrievalContext) -> tuple[str, Usage]:
    """Finding a model can mean to load it, which takes seconds."""
    embedded = embed_checked(
        known.find(profile),
        [query],
        EmbeddingTask.RETRIEVAL_QUERY,
        context.deadline,
        cancellation=context.cancellation,
    )
    return vector_text(embedded.vectors[0]), embedded.usage
