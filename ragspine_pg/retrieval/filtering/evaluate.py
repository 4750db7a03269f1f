"""Metadata filters as functions, for those who look for them here; the meaning lies in ``contract.filter`` and
``contract.truth``, below this room, since every room may hold a filter."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.truth import Truth

T = TypeVar("T")


def evaluate(
    metadata_filter: MetadataFilter | None, metadata: Mapping[str, Any], *, fields: Mapping[str, str] | None = None
) -> Truth:
    """Whether ``metadata`` matches: True, False, or None for unknown, which is no match. No filter matches everything.

    ``fields`` are the library's declared fields, name to type. Raises ``InvalidFilter``, see ``MetadataFilter.bind``.
    """
    return True if metadata_filter is None else metadata_filter.bind(fields)(metadata)


def apply_filter(
    metadata_filter: MetadataFilter | None,
    items: Iterable[T],
    *,
    fields: Mapping[str, str] | None = None,
    metadata: Callable[[T], Mapping[str, Any] | None] | None = None,
) -> list[T]:
    """Those of ``items`` that match, the same objects in the same order. See ``MetadataFilter.apply``."""
    if metadata_filter is None:
        return list(items)
    return metadata_filter.apply(items, fields=fields, metadata=metadata)
