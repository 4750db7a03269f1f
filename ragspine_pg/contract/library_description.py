"""What a router chooses a library by."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LibraryDescription:
    """A library that the caller may read, as it describes itself.

    ``lexemes`` are those of the description under the library's own analyzer, ``query_lexemes`` those of the query
    under the same: what the two share, a search there could match.
    """

    library_id: str
    description: str
    lexemes: frozenset[str] = frozenset()
    query_lexemes: frozenset[str] = frozenset()
