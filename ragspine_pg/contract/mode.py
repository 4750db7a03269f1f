"""Retrieval modes."""

from enum import StrEnum

from ragspine_pg.errors import QueryError


class RetrievalMode(StrEnum):
    """Which legs run.

    ECONOMY: the lexical leg alone; no embedding model is made and nothing is embedded, at ingest or at query.
    VECTOR and HYBRID need a published version with an embedding space. AUTO (the default) is hybrid where there is one,
    else economy; the result says which ran. A mode that cannot run is an error, never a silent downgrade.
    """

    AUTO = "auto"
    ECONOMY = "economy"
    VECTOR = "vector"
    HYBRID = "hybrid"


def make_retrieval_mode(name: str | RetrievalMode | None = None) -> RetrievalMode:
    """The mode of that name; None is AUTO. Raises ``QueryError`` listing the names for any other."""
    try:
        return RetrievalMode.AUTO if name is None else RetrievalMode(name)
    except ValueError:
        raise QueryError(f"mode is one of {', '.join(mode.value for mode in RetrievalMode)}", argument="mode") from None
