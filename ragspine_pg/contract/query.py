"""A query as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.fusion import Fusion
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.search_request import SearchRequest


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """What is asked of a bound retriever: a text, how many passages, and the other arguments of ``Retriever.search``.

    Who asks and in which libraries is no part of it: that was bound when the retriever was made. Raises ``QueryError``
    at once, as the search would.
    """

    text: str
    top_k: int = 10
    metadata_filter: MetadataFilter | None = None
    mode: RetrievalMode | str | None = None
    expand: str | None = None
    weights: Mapping[str, float] | None = None
    min_score: float | Mapping[str, float] | None = None
    fusion: Fusion | str | Mapping[str, Any] | None = None
    after: str | None = None
    explain: bool = False

    def __post_init__(self) -> None:
        SearchRequest.of(self.text, libraries=None, **{"mode": None, **self.arguments})
        for name in ("weights", "min_score"):
            if isinstance(value := getattr(self, name), Mapping):
                object.__setattr__(self, name, dict(value))

    @classmethod
    def of(
        cls, query: "str | RetrievalQuery", metadata_filter: MetadataFilter | None, top_k: int | None
    ) -> "RetrievalQuery":
        """A text, or a query to which ``metadata_filter`` is added (both must hold) and ``top_k`` preferred."""
        if not isinstance(query, cls):
            return cls(query, 10 if top_k is None else top_k, metadata_filter)  # type: ignore[arg-type]
        if top_k is not None:
            query = replace(query, top_k=top_k)
        if metadata_filter is None:
            return query
        own = query.metadata_filter
        return replace(
            query, metadata_filter=metadata_filter if own is None else MetadataFilter.all_of(own, metadata_filter)
        )

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of ``Retriever.search`` that it stands for; what it leaves open is left out."""
        named = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("text", "top_k")}
        return {"k": self.top_k, **{name: value for name, value in named.items() if value is not None}}
