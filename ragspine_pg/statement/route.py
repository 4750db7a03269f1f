"""The statement of routing, and the type its rows become."""

from collections.abc import Iterable

from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.statement.catalogue import query


def _description(
    library_id: str, description: str, lexemes: Iterable[str], query_lexemes: Iterable[str]
) -> LibraryDescription:
    return LibraryDescription(library_id, description, frozenset(lexemes), frozenset(query_lexemes))


route_libraries = query("route_libraries", _description)
