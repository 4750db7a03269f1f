"""What a call hands in, as one stream of documents: values as they are, files and folders read."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.metadata import freeze_metadata
from ragspine_pg.contract.readers import require_readers
from ragspine_pg.errors import ConfigurationError, InvalidDocument, SourceRefused
from ragspine_pg.ingest.source import read_sources


class Documents:
    """The documents of ``items``, read as they are asked for, from the beginning each time.

    ``readers`` and ``sensitivity``, where given, replace those of each ``Document``, and are those of each file but for
    lines of JSONL that say their own; ``metadata`` is added under its own keys, and takes the place of what is stored
    of a file.

    Raises ``ConfigurationError`` for a bare string or document where a collection is meant, ``InvalidDocument`` for
    readers or metadata that no document can have; while reading ``SourceRefused`` and ``InvalidDocument``, that also
    for what is neither document nor path (it names the position, from 0, and the type).
    """

    def __init__(
        self,
        items: Iterable[Document | str | Path],
        *,
        readers: Iterable[str] | None = None,
        sensitivity: Sensitivity | str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(items, (str, bytes, Path, Document)) or not isinstance(items, Iterable):
            raise ConfigurationError("ingest takes a collection of documents or paths: ingest([document])")
        self._items = items
        names = None if readers is None else require_readers(readers)
        rights = {"readers": names, "sensitivity": sensitivity}
        self._rights = {name: value for name, value in rights.items() if value is not None}
        self._adds = metadata is not None
        self._added = freeze_metadata({} if metadata is None else metadata)

    @property
    def repeatable(self) -> bool:
        """Whether they can be read more than once: an iterator cannot."""
        return not isinstance(self._items, Iterator)

    def __iter__(self) -> Iterator[Document]:
        for position, item in enumerate(self._items):
            if isinstance(item, Document):
                found: Iterable[Document] = (item,)
            elif isinstance(item, (str, Path)):
                found = read_sources([_path(item, position)])
            else:
                raise InvalidDocument(
                    f"item {position} of the ingest (counted from 0) is a {type(item).__name__}, neither document nor"
                    " path",
                    position=position,
                )
            for document in found:
                changes = self._rights if item is document else unsaid(document, self._rights)
                if self._adds:
                    changes = {**changes, "metadata": {**self._added, **document.metadata}}
                yield changed(document, changes)


def unsaid(document: Document, rights: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of ``rights`` that a document which was read from a file does not say of itself."""
    return {name: value for name, value in rights.items() if name in document.keep}


def changed(document: Document, changes: Mapping[str, Any]) -> Document:
    """``document`` with other ``changes``, which it means then. Raises ``InvalidDocument``."""
    return replace(document, keep=document.keep - changes.keys(), **changes) if changes else document


def _path(item: str | Path, position: int) -> str | Path:
    """A path that a file system can be asked for; undecodable bytes in a name, as Python escapes them, are one."""
    try:
        if b"\0" not in os.fsencode(item):
            return item
    except UnicodeEncodeError:
        pass
    raise SourceRefused(
        f"item {position} of the ingest (counted from 0) is a path with a NUL or a lone surrogate: no file has it",
        position=position,
    )
