"""What a call hands in, as one stream of documents: values as they are, files and folders read."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.errors import ConfigurationError
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
    Raises ``ConfigurationError`` for a bare string or document where a collection is meant, or what is neither document
    nor path; ``SourceRefused`` and ``InvalidDocument`` while reading.
    """
    if isinstance(items, (str, Path, Document)):
        raise ConfigurationError("ingest takes a collection of documents or paths: ingest([document])")
    names = None if readers is None else Document("readers", "", readers=readers).readers
    given = {name for name, value in (("readers", readers), ("sensitivity", sensitivity)) if value is not None}
    for item in items:
        if isinstance(item, Document):
            found: Iterable[Document] = (item,)
        elif isinstance(item, (str, Path)):
            found = read_sources([item])
        else:
            raise ConfigurationError(f"ingest takes documents and paths, not a {type(item).__name__}")
        for document in found:
            if names is None and sensitivity is None and not metadata:
                yield document
                continue
            yield Document(
                document.id,
                document.text,
                title=document.title,
                source_uri=document.source_uri,
                metadata={**(metadata or {}), **document.metadata},
                readers=document.readers if names is None else names,
                sensitivity=document.sensitivity if sensitivity is None else sensitivity,
                language=document.language,
                keep=document.keep - given,
            )
