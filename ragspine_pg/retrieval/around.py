"""What stands around a retriever, as a flow over its calls: a blocking and an awaited shell only perform them.

A flow yields ``Search``, ``Describe`` or ``Work`` (a router, an extractor, a judge) and receives the reply; an error of
ours that the call raises is thrown into it.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.flow.steps import Work

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Search:
    """Call ``search`` of the wrapped retriever; the reply is its result."""

    query: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Describe:
    """Describe the libraries that can be searched, with the arguments of ``MultiIndexRetriever.describe``."""

    query: str | None
    options: Mapping[str, Any]


Call: TypeAlias = Search | Describe | Work
Around: TypeAlias = Generator[Call, Any, T]


def search(query: str, **options: Any) -> Around[SearchResult]:
    """What the wrapped retriever finds."""
    result: SearchResult = yield Search(query, options)
    return result


def describe(query: str | None = None, **options: Any) -> Around[list[LibraryDescription]]:
    """The libraries that the caller may read."""
    found: list[LibraryDescription] = yield Describe(query, options)
    return found


def consult(run: Callable[[], T]) -> Around[T]:
    """What ``run`` returns: somebody's own code, or a model's; it may take its time."""
    answer: T = yield Work(run)
    return answer
