"""What is asked of a search, checked once at the door."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import QueryError

MAX_K = 1000
"""The most hits a search gives, at the store and at the composition."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The arguments of a search. Raises ``QueryError`` for one out of range."""

    query: str
    libraries: tuple[str, ...] | None = None
    k: int = 10
    mode: RetrievalMode = RetrievalMode.AUTO
    metadata_filter: MetadataFilter | None = None
    expand: str | None = None
    min_score: float | None = None
    explain: bool = False
    context: RetrievalContext = field(default_factory=RetrievalContext)

    def __post_init__(self) -> None:
        if not isinstance(self.query, str) or unstorable_offset(self.query) is not None:
            raise QueryError("a query is a string without NUL or lone surrogates")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k <= MAX_K:
            raise QueryError(f"k is a whole number from 1 to {MAX_K}")
        if self.expand not in (None, "parent"):
            raise QueryError("expand is None or 'parent'")
        if self.metadata_filter is not None and not isinstance(self.metadata_filter, MetadataFilter):
            raise QueryError("metadata_filter is a MetadataFilter; MetadataFilter.from_json reads the JSON form")
        if self.min_score is not None and not -float("inf") < self.min_score < float("inf"):
            raise QueryError("min_score is a finite number")


def library_names(libraries: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Library ids of a call, without repeats, in their order; one id may be given as a string."""
    if libraries is None:
        return None
    names = (libraries,) if isinstance(libraries, str) else tuple(dict.fromkeys(libraries))
    for name in names:
        if not isinstance(name, str) or unstorable_offset(name) is not None:
            raise QueryError("libraries are named by strings without NUL or lone surrogates")
    return names
