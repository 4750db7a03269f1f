"""The twins have the same surface: whoever adds a call to one client owes it to the other.

A method that is missing here is written in ``ragspine_pg/async_client/``, in the file of the same name: the same
signature, ``async def``, a docstring ``See ``Class.method``.``, and ``return await self._drive(flow, read_only=…)`` of
the flow that the blocking method drives. A shell holds no logic: what is left over goes into the flow.
"""

import inspect
from typing import Any

import pytest

from ragspine_pg import async_client, client
from ragspine_pg.async_client.filter_extracting import AsyncFilterExtractingRetriever
from ragspine_pg.async_client.legs import AsyncHybridRetriever, AsyncVectorRetriever
from ragspine_pg.async_client.multi_index import AsyncMultiIndexRetriever
from ragspine_pg.async_client.narrative_index import AsyncNarrativeIndex
from ragspine_pg.async_client.reranking import AsyncRerankingRetriever
from ragspine_pg.async_client.vector_store import AsyncVectorStore
from ragspine_pg.async_client.wrapping import wrap_async_retriever
from ragspine_pg.client.filter_extracting import FilterExtractingRetriever
from ragspine_pg.client.legs import HybridRetriever, VectorRetriever
from ragspine_pg.client.multi_index import MultiIndexRetriever
from ragspine_pg.client.narrative_index import NarrativeIndex
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.client.vector_store import VectorStore
from ragspine_pg.client.wrapping import wrap_retriever

TWINS: list[tuple[type, type]] = [
    *((getattr(client, name), getattr(async_client, f"Async{name}")) for name in client.__all__),
    (FilterExtractingRetriever, AsyncFilterExtractingRetriever),
    (MultiIndexRetriever, AsyncMultiIndexRetriever),
    (RerankingRetriever, AsyncRerankingRetriever),
    (HybridRetriever, AsyncHybridRetriever),
    (NarrativeIndex, AsyncNarrativeIndex),
    (VectorRetriever, AsyncVectorRetriever),
    (VectorStore, AsyncVectorStore),
]

# These do nothing that could be waited for.
PLAIN = {"__init__", "library", "retriever", "grant"}

RENAMED = {"close": "aclose", "__enter__": "__aenter__", "__exit__": "__aexit__"}


def surface(cls: type) -> dict[str, Any]:
    """Public names of a class, and its constructor and context manager."""
    special = [name for name in ("__init__", *RENAMED) if name.startswith("__") and hasattr(cls, name)]
    special += [name for name in RENAMED.values() if name.startswith("__") and hasattr(cls, name)]
    return {
        name: inspect.getattr_static(cls, name)
        for name in [*special, *(name for name in dir(cls) if not name.startswith("_"))]
    }


def signature(member: Any) -> list[tuple[str, Any, Any, str]] | None:
    """Name, kind, default and annotation of each parameter, and what is returned, with the twins named alike."""
    function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    if isinstance(function, property):
        function = function.fget
    if not callable(function):
        return None
    found = inspect.signature(function)
    parts = [(p.name, p.kind, p.default, _neutral(p.annotation)) for p in found.parameters.values()]
    return [*parts, ("return", None, None, _neutral(found.return_annotation))]


def _neutral(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return text.replace("ragspine_pg.async_client.", "ragspine_pg.client.").replace("async_", "").replace("Async", "")


def check_twins(blocking: type, awaited: type) -> int:
    """That the two have the same surface; how many calls were compared."""
    ours, theirs = surface(blocking), surface(awaited)
    assert {RENAMED.get(name, name) for name in ours} == set(theirs), awaited.__name__
    for name, member in ours.items():
        twin = theirs[RENAMED.get(name, name)]
        where = f"{awaited.__name__}.{RENAMED.get(name, name)}"
        assert type(member) is type(twin), where
        assert signature(member) == signature(twin), where
        if isinstance(member, property) or signature(member) is None:
            continue
        function = twin.__func__ if isinstance(twin, classmethod) else twin
        if name == "__init__" and not inspect.isfunction(function):
            continue
        assert inspect.iscoroutinefunction(function) is (name not in PLAIN), where
        said = inspect.getdoc(function) or ""
        if not name.startswith("__"):
            origin = (member.__func__ if isinstance(member, classmethod) else member).__qualname__
            assert said == inspect.getdoc(member) or said.startswith(f"See ``{origin}``"), where
    return len(ours)


@pytest.mark.parametrize(("blocking", "awaited"), TWINS)
def test_every_call_has_a_twin_with_an_equal_signature(blocking: type, awaited: type) -> None:
    assert check_twins(blocking, awaited) >= 2


def test_the_facade_is_compared_whole() -> None:
    assert check_twins(client.RagSpine, async_client.AsyncRagSpine) >= 14
    assert check_twins(client.Ingestor, async_client.AsyncIngestor) >= 13
    assert check_twins(client.Library, async_client.AsyncLibrary) >= 11


def test_the_functions_around_retrievers_agree() -> None:
    assert signature(wrap_retriever) == signature(wrap_async_retriever)


class _Blocking:
    def __init__(self, number: int) -> None: ...

    def find(self, word: str, *, k: int = 10) -> list[str]:
        """Words."""
        return [word] * k


class _Forgets:
    def __init__(self, number: int) -> None: ...


class _OtherDefault(_Forgets):
    async def find(self, word: str, *, k: int = 11) -> list[str]:
        """See ``_Blocking.find``."""
        return [word] * k


class _OtherParameter(_Forgets):
    async def find(self, word: str, *, k: int = 10, mode: str = "") -> list[str]:
        """See ``_Blocking.find``."""
        return [word] * k


class _OtherType(_Forgets):
    async def find(self, word: str, *, k: int = 10) -> tuple[str, ...]:
        """See ``_Blocking.find``."""
        return (word,) * k


class _Blocks(_Forgets):
    def find(self, word: str, *, k: int = 10) -> list[str]:
        """See ``_Blocking.find``."""
        return [word] * k


class _SaysOtherwise(_Forgets):
    async def find(self, word: str, *, k: int = 10) -> list[str]:
        """Something else."""
        return [word] * k


class _HasMore(_Forgets):
    async def find(self, word: str, *, k: int = 10) -> list[str]:
        """See ``_Blocking.find``."""
        return [word] * k

    async def lose(self) -> None: ...


class _Agrees(_Forgets):
    async def find(self, word: str, *, k: int = 10) -> list[str]:
        """See ``_Blocking.find``."""
        return [word] * k


@pytest.mark.parametrize(
    "awaited", [_Forgets, _OtherDefault, _OtherParameter, _OtherType, _Blocks, _SaysOtherwise, _HasMore]
)
def test_every_call_has_a_twin_has_teeth(awaited: type) -> None:
    assert check_twins(_Blocking, _Agrees) == 2
    with pytest.raises(AssertionError):
        check_twins(_Blocking, awaited)
