"""Stage mode: which legs a search runs. The names live in the contract; this is where people look for them."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragspine_pg.contract.mode import RetrievalMode, make_retrieval_mode
from ragspine_pg.errors import ModeUnavailable

__all__ = ["RetrievalMode", "make_retrieval_mode"]


@dataclass(frozen=True, slots=True)
class Legs:
    """Which legs a library is searched by."""

    lexical: bool
    vector: bool


def legs_of(mode: RetrievalMode, library_id: str, space: str | None) -> Legs:
    """The legs of a library whose version has that embedding space. Raises ``ModeUnavailable`` for a mode that needs
    one where there is none.
    """
    if mode in (RetrievalMode.VECTOR, RetrievalMode.HYBRID) and space is None:
        raise ModeUnavailable(
            f"mode {mode.value} needs an embedding space, and the published version of {library_id!r} has none: rebuild"
            " it with one, or search by mode auto",
            library=library_id,
        )
    return Legs(mode is not RetrievalMode.VECTOR, mode is not RetrievalMode.ECONOMY and space is not None)


def ran(asked: RetrievalMode, legs: Iterable[Legs]) -> RetrievalMode:
    """The mode that a search came to; the one asked for, or economy for auto, where there was nothing to search."""
    found = list(legs)
    if not found and asked is not RetrievalMode.AUTO:
        return asked
    if not any(leg.vector for leg in found):
        return RetrievalMode.ECONOMY
    return RetrievalMode.HYBRID if any(leg.lexical for leg in found) else RetrievalMode.VECTOR
