"""Routers by name."""

from collections.abc import Mapping
from typing import Any, Final

from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.retrieval.selector import select

ENTRY_POINT_GROUP: Final = "ragspine_pg.routers"
"""Where other distributions name theirs: an entry point whose object makes a ``LibraryRouter`` from keyword options."""

LIBRARY_ROUTERS: Mapping[str, str] = {
    "keyword": "ragspine_pg.retrieval.routing.keyword:KeywordLibraryRouter",
    "callable": "ragspine_pg.retrieval.routing.adapter:CallableLibraryRouter",
}
"""Our own routers by name. ``none`` is no router: all libraries are searched."""


def make_library_router(router: str | LibraryRouter | None = None, **options: Any) -> LibraryRouter | None:
    """The router of that name made with ``options``, the one handed in, or None for None and ``"none"``.

    Our own names come first, then entry points of group ``ragspine_pg.routers``. Raises ``ConfigurationError`` for an
    unknown name (it lists the known ones), options that it does not take, or what is no ``LibraryRouter``.
    """
    return select(
        "library router",
        router,
        options,
        ours=LIBRARY_ROUTERS,
        group=ENTRY_POINT_GROUP,
        protocol=LibraryRouter,  # type: ignore[type-abstract]
    )
