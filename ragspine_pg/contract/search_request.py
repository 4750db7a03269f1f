"""What is asked of a search, checked once at the door."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.contract.name import require_text
from ragspine_pg.errors import QueryError

MAX_K = 1000
"""The most hits a search gives, at the store and at the composition."""

MAX_QUERY_BYTES = 65_536
"""The longest query, in bytes of UTF-8; ``sql/functions/check_search_v1`` has the same."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The arguments of a search. Raises ``QueryError``, naming the argument, for one of the wrong kind or out of range.

    Any text is a query, but for what cannot be sent (a NUL or lone surrogate: the error has its offset) and for one of
    more than ``MAX_QUERY_BYTES``.
    """

    query: str
    libraries: tuple[str, ...] | None = None
    k: int = 10
    mode: RetrievalMode = RetrievalMode.AUTO
    metadata_filter: MetadataFilter | None = None
    expand: str | None = None
    min_score: float | None = None
    fusion: Fusion = field(default_factory=Fusion)
    after: str | None = None
    explain: bool = False
    context: RetrievalContext = field(default_factory=RetrievalContext)

    def __post_init__(self) -> None:
        require_query(self.query)
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k <= MAX_K:
            raise QueryError(f"k is a whole number from 1 to {MAX_K}", argument="k")
        if self.expand not in (None, "parent"):
            raise QueryError("expand is None or 'parent'", argument="expand")
        if self.metadata_filter is not None and not isinstance(self.metadata_filter, MetadataFilter):
            raise QueryError(
                "metadata_filter is a MetadataFilter; MetadataFilter.from_json reads the JSON form",
                argument="metadata_filter",
            )
        if self.min_score is not None:
            object.__setattr__(self, "min_score", _finite("min_score", self.min_score))
        if not isinstance(self.fusion, Fusion):
            raise QueryError("fusion is a Fusion", argument="fusion")
        if self.after is not None:
            require_text("after", self.after, QueryError)
        if not isinstance(self.context, RetrievalContext):
            raise QueryError("context is a RetrievalContext", argument="context")

    @classmethod
    def of(
        cls,
        query: str,
        *,
        libraries: str | Iterable[str] | None,
        k: int,
        mode: RetrievalMode | str | None,
        metadata_filter: MetadataFilter | None = None,
        expand: str | None = None,
        weights: Mapping[str, float] | None = None,
        min_score: float | Mapping[str, float] | None = None,
        fusion: Fusion | str | Mapping[str, Any] | None = None,
        after: str | None = None,
        context: RetrievalContext | None = None,
        explain: bool = False,
    ) -> "SearchRequest":
        """The request that the arguments of ``Retriever.search`` make. Raises ``QueryError``."""
        asked = Fusion.of(fusion)
        if weights is not None:
            if asked.weights is not None:
                raise QueryError("weights are given twice: leave them out of fusion", argument="weights")
            asked = replace(asked, weights=weights)
        if isinstance(min_score, Mapping):
            if asked.min_scores is not None:
                raise QueryError("least scores are given twice: leave them out of fusion", argument="min_score")
            asked, min_score = replace(asked, min_scores=min_score), None
        return cls(
            query=query,
            libraries=library_names(libraries),
            k=k,
            mode=make_retrieval_mode(mode),
            metadata_filter=metadata_filter,
            expand=expand,
            min_score=min_score,
            fusion=asked,
            after=after,
            explain=explain,
            context=RetrievalContext() if context is None else context,
        )

    @property
    def filter_json(self) -> str | None:
        """The filter's JSON form, or None."""
        return None if self.metadata_filter is None else self.metadata_filter.to_json()

    @property
    def identity(self) -> dict[str, Any]:
        """What makes two searches pages of one result, as a cursor is bound to it (``search_request_v1`` in SQL).

        The libraries stand in the cursor already; a filter has many forms, and is applied to each page anew.
        """
        return {
            "query": self.query,
            "mode": str(self.mode),
            "min_score": self.min_score,
            "fusion": self.fusion.to_json(),
        }


def _finite(argument: str, value: Any) -> float:
    try:
        # Neither text nor a truth value is a number here, though float() would read both.
        found = float(value) if isinstance(value, Real | Decimal) and not isinstance(value, bool) else float("nan")
    except (OverflowError, ValueError):
        found = float("nan")
    if not isfinite(found):
        raise QueryError(f"{argument} is a finite number", argument=argument)
    return found


def library_names(libraries: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Library ids of a call, without repeats, in their order; one id may be a string alone. Raises ``QueryError``."""
    if libraries is None:
        return None
    if not isinstance(libraries, Iterable):
        raise QueryError(f"libraries is a collection of ids, not a {type(libraries).__name__}", argument="libraries")
    names = (libraries,) if isinstance(libraries, str) else libraries
    return tuple(dict.fromkeys(require_text("libraries", name, QueryError) for name in names))


def require_query(query: Any) -> None:
    """Raises ``QueryError`` for what is no query: see ``SearchRequest``."""
    require_text("query", query, QueryError)
    if len(query.encode()) > MAX_QUERY_BYTES:
        raise QueryError(f"query has at most {MAX_QUERY_BYTES} bytes of UTF-8; shorten it", argument="query")
