"""Rerankers by name."""

from collections.abc import Mapping
from typing import Any, Final

from ragspine_pg.contract.ports import Reranker
from ragspine_pg.retrieval.selector import select

ENTRY_POINT_GROUP: Final = "ragspine_pg.rerankers"
"""Where other distributions name theirs: an entry point whose object makes a ``Reranker`` from keyword options."""

RERANKERS: Mapping[str, str] = {
    "http": "ragspine_pg.retrieval.rerank.http:HttpReranker",
    "callable": "ragspine_pg.retrieval.rerank.adapter:CallableReranker",
}
"""Our own rerankers by name. ``none`` is no reranker: hits keep the order of the fusion."""


def make_reranker(reranker: str | Reranker | None = None, **options: Any) -> Reranker | None:
    """The reranker of that name made with ``options``, the one handed in, or None for None and ``"none"``.

    Our own names come first, then entry points of group ``ragspine_pg.rerankers``. Raises ``ConfigurationError`` for an
    unknown name (it lists the known ones), options that it does not take, a package that is not installed (it names the
    extra), or what is no ``Reranker``.
    """
    return select(
        "reranker",
        reranker,
        options,
        ours=RERANKERS,
        group=ENTRY_POINT_GROUP,
        protocol=Reranker,  # type: ignore[type-abstract]
    )
