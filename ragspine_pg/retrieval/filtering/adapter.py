"""A filter extractor made of a function, such as one that asks a language model."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.errors import ConfigurationError, InvalidFilter


class CallableFilterExtractor:
    """Lets ``extract(query)`` give a ``MetadataFilter``, its JSON form as text or mapping, or None.

    Whatever a model makes up, it is a filter or it is refused: no text of its own gets further. Raises
    ``ConfigurationError`` for what cannot be called.
    """

    name: Final = "callable"

    def __init__(self, extract: Callable[[str], MetadataFilter | Mapping[str, Any] | str | None]) -> None:
        if not callable(extract):
            raise ConfigurationError("extract is a function of the query")
        self._extract = extract

    def extract(self, query: str) -> MetadataFilter | None:
        """What the function gives; raises ``InvalidFilter`` for what is no filter."""
        given = self._extract(query)
        if given is None or isinstance(given, MetadataFilter):
            return given
        if isinstance(given, str | Mapping):
            return MetadataFilter.from_json(given)
        raise InvalidFilter(f"a filter extractor gave a {type(given).__name__}, no filter")
