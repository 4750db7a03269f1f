"""Several libraries at once: which are there, and which a router chose.

``MultiIndexRetriever`` is made of these; it lives in ``ragspine_pg.client``, where the shells are.
"""

from collections.abc import Sequence

from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.fault import log_fault
from ragspine_pg.contract.identity import Identity
from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.contract.search_request import require_query
from ragspine_pg.errors import SeamFailed
from ragspine_pg.flow.steps import Flow, batch
from ragspine_pg.statement import route as statements
from ragspine_pg.statement import search as searching


def describe_libraries(
    query: str | None,
    libraries: Sequence[str] | None,
    identity: Identity,
    context: RetrievalContext | None = None,
) -> Flow[list[LibraryDescription]]:
    """Those of ``libraries`` (None for all) in which ``identity`` can read something, by id.

    Raises ``QueryError`` for a ``query`` that no search takes.
    """
    if query is not None:
        require_query(query)
    context = RetrievalContext() if context is None else context
    context.check()
    asked = {"libraries": None if libraries is None else list(libraries), "query": query}
    opening = yield from searching.opening(identity, context)
    *_, found = yield from batch(*opening, (statements.route_libraries, asked), last=True)
    return found


def choose_libraries(router: LibraryRouter, query: str, readable: Sequence[LibraryDescription]) -> tuple[str, ...]:
    """The ids that ``router`` chose, in its order: each once, none that it was not shown, all where it chose none.

    Raises ``SeamFailed`` for a router that fails; the message holds nothing of what it said.
    """
    known = [library.library_id for library in readable]
    try:
        answer = router.route(query, tuple(readable))
        said = [] if isinstance(answer, str) else [item for item in answer if isinstance(item, str)]
    except Exception as error:  # noqa: BLE001 - an application's own code, or a model's client
        log_fault(f"library router {router.name!r}", error)
        fault = type(error).__name__
    else:
        return tuple(dict.fromkeys(item for item in said if item in known)) or tuple(known)
    raise SeamFailed(f"library router {router.name!r} failed ({fault})", seam="library_router")
