"""Chunkers by name."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from ragspine_pg.chunking.domain_presets import (
    LawsChunker,
    ParentChildChunker,
    QuestionAnswerChunker,
    SentenceWindowChunker,
)
from ragspine_pg.chunking.general import DefaultChunker, WholeChunker
from ragspine_pg.chunking.layout import LayoutAwareChunker
from ragspine_pg.contract.option import require_options
from ragspine_pg.contract.ports import Chunker
from ragspine_pg.errors import ConfigurationError

ENTRY_POINT_GROUP = "ragspine_pg.chunkers"
"""Where other distributions name theirs: an entry point whose object makes a ``Chunker`` from keyword options."""

CHUNKERS: dict[str, Callable[..., Chunker]] = {
    "default": DefaultChunker,
    "whole": WholeChunker,
    "layout": LayoutAwareChunker,
    "parent_child": ParentChildChunker,
    "small_to_big": ParentChildChunker,
    "sentence_window": SentenceWindowChunker,
    "qa": QuestionAnswerChunker,
    "laws": LawsChunker,
}


def make_chunker(chunker: str | Chunker = "default", **options: Any) -> Chunker:
    """The chunker of that name made with ``options`` (``size``, ``overlap`` in code points), or the one handed in.

    ``sentence_window`` takes ``sentences`` and ``window`` instead, ``qa`` and ``laws`` a ``size`` alone. Our own names
    come first, then entry points of group ``ragspine_pg.chunkers``. Raises ``ConfigurationError`` for an unknown name
    (it lists the known ones), an option the chunker does not have, or what is no ``Chunker``.
    """
    if not isinstance(chunker, str):
        if not isinstance(chunker, Chunker):
            raise ConfigurationError("a chunker is a name or an object with chunk, name, fingerprint and target_length")
        if options:
            raise ConfigurationError("options go with a chunker's name; one that is already made keeps its own")
        return chunker
    factory: Callable[..., Any] | None = CHUNKERS.get(chunker)
    if factory is None:
        offered = entry_points(group=ENTRY_POINT_GROUP)
        if chunker not in offered.names:
            known = ", ".join([*CHUNKERS, *sorted(offered.names - CHUNKERS.keys())])
            raise ConfigurationError(f"no chunker is called {chunker!r}; there are: {known}", chunker=chunker)
        factory = offered[chunker].load()
    require_options(f"chunker {chunker!r}", factory, options, chunker=chunker)
    made = factory(**options)
    if not isinstance(made, Chunker):
        raise ConfigurationError(f"what entry point {chunker!r} made is no chunker", chunker=chunker)
    return made
