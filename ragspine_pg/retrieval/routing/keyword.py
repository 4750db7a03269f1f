"""The router ``keyword``: the query's words against the libraries' descriptions."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.errors import ConfigurationError


class KeywordLibraryRouter:
    """Chooses the libraries whose description shares words with the query, as each library's own analyzer sees them.

    A shared word counts its inverse document frequency over the descriptions, ln(1 + (N − n + 0.5) / (n + 0.5)): a word
    that every description has decides little. Stop words are none where the analyzer has a list of them (the Snowball
    languages). Chosen are the libraries with at least ``share`` of the best one's sum, best first, equal ones by id;
    no shared word at all chooses all. A library without a description is chosen only then.

    Deterministic, and made of what the caller may read alone. Raises ``ConfigurationError`` unless 0 < share <= 1.
    """

    name: Final = "keyword"

    def __init__(self, *, share: float = 0.5) -> None:
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
            raise ConfigurationError("share is a number above 0, at most 1")
        self.share = share

    def route(self, query: str, libraries: Sequence[LibraryDescription]) -> list[str]:
        """The ids of the libraries to search."""
        holders = Counter(lexeme for library in libraries for lexeme in library.lexemes)
        sums = {
            library.library_id: math.fsum(
                _weight(holders[lexeme], len(libraries)) for lexeme in library.lexemes & library.query_lexemes
            )
            for library in libraries
        }
        best = max(sums.values(), default=0.0)
        if best == 0.0:
            return sorted(sums)
        chosen = [library_id for library_id, total in sums.items() if total >= self.share * best]
        return sorted(chosen, key=lambda library_id: (-sums[library_id], library_id))


def _weight(holders: int, libraries: int) -> float:
    return math.log1p((libraries - holders + 0.5) / (holders + 0.5))
