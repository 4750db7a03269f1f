"""A router made of a function, such as one that asks a language model."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.errors import ConfigurationError


class CallableLibraryRouter:
    """Lets ``choose(query, libraries)`` give the ids. Whatever it says, it chooses among the libraries it was shown.

    ``choose`` sees ids and descriptions of libraries that the caller may read, and the query; a function that sends
    them to a service lets them leave this host. Raises ``ConfigurationError`` for what cannot be called.
    """

    name: Final = "callable"

    def __init__(self, choose: Callable[[str, Sequence[LibraryDescription]], Iterable[str]]) -> None:
        if not callable(choose):
            raise ConfigurationError("choose is a function of the query and the libraries' descriptions")
        self._choose = choose

    def route(self, query: str, libraries: Sequence[LibraryDescription]) -> Iterable[str]:
        """What the function gives."""
        return self._choose(query, libraries)
