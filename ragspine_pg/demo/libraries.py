"""The demo's libraries, read from ``corpus/``: real Markdown, text, HTML and JSONL files, and a manifest."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.ingest.source import read_sources

_CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True)
class DemoLibrary:
    """What ``create_library`` and ``ingest`` are told about one library of the demo."""

    tenant: str
    library_id: str
    analyzer: str
    chunker: str
    profile: Mapping[str, Any]
    fields: Mapping[str, str]
    description: str
    documents: tuple[Document, ...]

    def document(self, document_id: str) -> Document:
        """The document of that id; raises ``KeyError``."""
        for document in self.documents:
            if document.id == document_id:
                return document
        raise KeyError(document_id)


def demo_libraries() -> tuple[DemoLibrary, ...]:
    """Every library of the demo, in the manifest's order.

    ``corpus/manifest.json`` gives title, rights and metadata of each file; a JSONL file's lines carry their own. A
    document's id is its file's name without the ending, its ``source_uri`` a made-up address. The tenants' names begin
    with ``demo-``, so that the demo never meets a library of the user's own.
    """
    manifest = json.loads((_CORPUS / "manifest.json").read_text(encoding="utf-8"))
    return tuple(
        DemoLibrary(
            tenant=entry["tenant"],
            library_id=entry["library"],
            analyzer=entry["analyzer"],
            chunker=entry["chunker"],
            profile=MappingProxyType(entry["profile"]),
            fields=MappingProxyType(entry["fields"]),
            description=entry["description"],
            documents=tuple(document for file in entry["documents"] for document in _documents(entry, file)),
        )
        for entry in manifest["libraries"]
    )


def may_read(access: Access, tenant: str, document: Document) -> bool:
    """The rule of access in its plainest form, said again here so that the tour's checks share no code with the search.

    The tenant is the document's, the caller is somebody, the document is not RESTRICTED, and it is open to every member
    or to one of the caller's principals.
    """
    if access.tenant != tenant or not access.principals or document.sensitivity is Sensitivity.RESTRICTED:
        return False
    return document.readers is None or not document.readers.isdisjoint(access.principals)


def _documents(entry: Mapping[str, Any], file: Mapping[str, Any]) -> Iterator[Document]:
    path = _CORPUS / entry["folder"] / file["file"]
    for read in read_sources(path):
        if path.suffix == ".jsonl":
            yield read
        else:
            company, library = entry["folder"].split("/")
            yield Document(
                path.stem,
                read.text,
                title=file["title"],
                source_uri=f"https://{company}.example/{library}/{path.name}",
                metadata=file["metadata"],
                readers=file["readers"],
                sensitivity=file["sensitivity"],
                language=entry["language"],
            )
