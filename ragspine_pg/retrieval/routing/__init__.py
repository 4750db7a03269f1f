"""Which of several libraries a query is worth searching in."""

from ragspine_pg.contract.library_description import LibraryDescription
from ragspine_pg.contract.ports import LibraryRouter
from ragspine_pg.retrieval.routing.adapter import CallableLibraryRouter
from ragspine_pg.retrieval.routing.keyword import KeywordLibraryRouter
from ragspine_pg.retrieval.routing.registry import LIBRARY_ROUTERS, make_library_router

__all__ = [
    "LIBRARY_ROUTERS",
    "CallableLibraryRouter",
    "KeywordLibraryRouter",
    "LibraryDescription",
    "LibraryRouter",
    "make_library_router",
]
