"""Stage mode: which legs a search runs. The names live in the contract; this is where people look for them."""

from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.errors import ModeUnavailable

__all__ = ["RetrievalMode", "make_retrieval_mode", "resolve_mode"]


def resolve_mode(asked: RetrievalMode) -> RetrievalMode:
    """The mode that runs where no searched version has an embedding space.

    Raises ``ModeUnavailable`` for a mode that needs vectors.
    """
    if asked in (RetrievalMode.VECTOR, RetrievalMode.HYBRID):
        raise ModeUnavailable(
            f"mode {asked.value} needs an embedding space, and the published versions searched have none"
        )
    return RetrievalMode.ECONOMY
