"""Filter extractors by name."""

from collections.abc import Mapping
from typing import Any, Final

from ragspine_pg.contract.ports import FilterExtractor
from ragspine_pg.retrieval.selector import select

ENTRY_POINT_GROUP: Final = "ragspine_pg.filter_extractors"
"""Where other distributions name theirs: an entry point whose object makes a ``FilterExtractor`` from options."""

FILTER_EXTRACTORS: Mapping[str, str] = {
    "controlled_vocab": "ragspine_pg.retrieval.filtering.controlled_vocab:ControlledVocabFilterExtractor",
    "callable": "ragspine_pg.retrieval.filtering.adapter:CallableFilterExtractor",
}
"""Our own extractors by name. ``none`` is no extractor: a search has the caller's filter alone."""


def make_filter_extractor(extractor: str | FilterExtractor | None = None, **options: Any) -> FilterExtractor | None:
    """The extractor of that name made with ``options``, the one handed in, or None for None and ``"none"``.

    Our own names come first, then entry points of group ``ragspine_pg.filter_extractors``. Raises
    ``ConfigurationError`` for an unknown name (it lists the known ones), options that it does not take, or what is no
    ``FilterExtractor``.
    """
    return select(
        "filter extractor",
        extractor,
        options,
        ours=FILTER_EXTRACTORS,
        group=ENTRY_POINT_GROUP,
        protocol=FilterExtractor,  # type: ignore[type-abstract]
    )
