"""What a call hands in, as one stream of documents: values as they are, files and folders read."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.metadata import freeze_metadata
from ragspine_pg.contract.name import require_names
from ragspine_pg.errors import ConfigurationError, InvalidDocument, SourceRefused
from ragspine_pg.ingest.source import read_sources


def documents_of(
    items: Iterable[Document | str | Path],
    *,
    readers: Iterable[str] | None = None,
    sensitivity: Sensitivity | str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Iterator[Document]:
    """The documents of ``items``, read as they are asked for.

    ``readers`` and ``sensitivity``, where given, replace each document's own; ``metadata`` is added under its own keys.
    Raises ``ConfigurationError`` for a bare string or document where a collection is meant; while reading
    ``SourceRefused`` and ``InvalidDocument``, that also for what is neither document nor path (it names the position,
    from 0, and the type).
    """
    if isinstance(items, (str, bytes, Path, Document)) or not isinstance(items, Iterable):
        raise ConfigurationError("ingest takes a collection of documents or paths: ingest([document])")
    names = None if readers is None else require_names("readers", readers, InvalidDocument)
    added = freeze_metadata({} if metadata is None else metadata)
    given = {name for name, value in (("readers", readers), ("sensitivity", sensitivity)) if value is not None}
    for position, item in enumerate(items):
        if isinstance(item, Document):
            found: Iterable[Document] = (item,)
        elif isinstance(item, (str, Path)):
            found = read_sources([_path(item, position)])
        else:
            raise InvalidDocument(
                f"item {position} of the ingest (counted from 0) is a {type(item).__name__}, neither document nor path",
                position=position,
            )
        for document in found:
            if names is None and sensitivity is None and not added:
                yield document
                continue
            yield Document(
                document.id,
                document.text,
                title=document.title,
                source_uri=document.source_uri,
                metadata={**added, **document.metadata},
                readers=document.readers if names is None else names,
                sensitivity=document.sensitivity if sensitivity is None else sensitivity,
                language=document.language,
                keep=document.keep - given,
            )


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
