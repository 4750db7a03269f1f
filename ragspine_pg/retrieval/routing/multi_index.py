"""Several libraries at once: which are there, which a router chose, and what a library's weight does to the order.

``MultiIndexRetriever`` is made of these; it lives in ``ragspine_pg.client``, where the shells are.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.result import Hit
from ragspine_pg.errors import QueryError, SeamFailed
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.retrieval.fuse import rrf_fuse
from ragspine_pg.statement import route as statements
from ragspine_pg.statement import search as searching


def describe_libraries(
    query: str | None,
    libraries: Sequence[str] | None,
    *,
    grant: str,
    single_login: bool,
    context: RetrievalContext | None = None,
) -> Flow[list[LibraryDescription]]:
    """Those of ``libraries`` (None for all) in which the grant can read something, by id."""
    context = RetrievalContext() if context is None else context
    context.check()
    yield from fetch(
        searching.begin,
        grant=grant,
        timeout=None if context.deadline is None else _milliseconds(context.deadline.remaining()),
        single_login="on" if single_login else "off",
    )
    found = yield from fetch(
        statements.route_libraries, libraries=None if libraries is None else list(libraries), query=query
    )
    return found


def _milliseconds(seconds: float) -> int:
    return int(max(1, min(seconds * 1000, 2**31 - 1)))


def choose_libraries(router: LibraryRouter, query: str, readable: Sequence[LibraryDescription]) -> tuple[str, ...]:
    """The ids that ``router`` chose, in its order: each once, none that it was not shown, all where it chose none.

    Raises ``SeamFailed`` for a router that fails; the message holds nothing of what it said.
    """
    known = [library.library_id for library in readable]
    try:
        answer = router.route(query, tuple(readable))
        said = [] if isinstance(answer, str) else [item for item in answer if isinstance(item, str)]
    except Exception as error:  # noqa: BLE001 - an application's own code, or a model's client
        fault = type(error).__name__
    else:
        return tuple(dict.fromkeys(item for item in said if item in known)) or tuple(known)
    raise SeamFailed(f"library router {router.name!r} failed ({fault})", seam="library_router")


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """A copy of ``weights``; raises ``QueryError`` for one that is not finite or negative."""
    checked = {}
    for library_id, weight in weights.items():
        try:
            checked[str(library_id)] = float(weight)
        except (TypeError, ValueError, OverflowError):
            checked[str(library_id)] = math.nan
        if not math.isfinite(checked[str(library_id)]) or checked[str(library_id)] < 0:
            raise QueryError("a library's weight is a finite number, not negative")
    return checked


def fuse_libraries(hits: Iterable[Hit], weights: Mapping[str, float], k: int) -> tuple[Hit, ...]:
    """The k best of ``hits`` when each library's own ranking is fused by ``rrf_fuse`` with the library's weight (or 1).

    Within a library the order stays. ``score`` becomes the fused one. Raises ``QueryError`` as ``rrf_fuse`` does.
    """
    rankings: dict[str, list[tuple[str, str]]] = {}
    by_id: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        by_id[hit.library_id, hit.chunk_id] = hit
        rankings.setdefault(hit.library_id, []).append((hit.library_id, hit.chunk_id))
    shares = [weights.get(library_id, 1.0) for library_id in rankings]
    fused = rrf_fuse(list(rankings.values()), weights=shares)[:k]
    return tuple(replace(by_id[item], rank=rank, score=score) for rank, (item, score) in enumerate(fused, start=1))


def holds_best(hits: Sequence[Hit], libraries: Iterable[str], k: int, asked: int) -> bool:
    """Whether each library's k best are among ``hits``, or all it has: fewer came than the ``asked``."""
    if len(hits) < asked:
        return True
    found = dict.fromkeys(libraries, 0)
    for hit in hits:
        found[hit.library_id] = found.get(hit.library_id, 0) + 1
    return all(count >= k for count in found.values())
