"""A stored passage on its way out, with the rights that came with it: what the exits judge."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as the database hands it over. ``reader_principals`` are those of the caller that its class names."""

    position: int
    tenant: str
    library_id: str
    document_id: str
    chunk_id: str
    index_version: int
    title: str
    source_uri: str
    metadata: Mapping[str, Any]
    sensitivity: str
    open_to_members: bool
    reader_principals: frozenset[str]
    locator: str
    parent_locator: str
    text: str
    window_text: str
