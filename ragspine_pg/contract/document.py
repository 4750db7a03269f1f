"""What an application hands in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.metadata import freeze_metadata
from ragspine_pg.contract.name import name_fault, require_names
from ragspine_pg.contract.readers import require_readers
from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import InvalidDocument

KEEPABLE = frozenset({"readers", "sensitivity", "metadata"})
"""What a document may leave as it is stored (``keep``)."""

MAX_TITLE_LENGTH = 2000
"""The longest title, in code points: it is analysed with every chunk, and a chunk's lexemes are bounded."""


@dataclass(frozen=True, slots=True, init=False)
class Document:
    """A text with its identity, attribution and rights.

    ``readers``: None means every member of the tenant, an empty set means no one. A reader is any text that an asker's
    ``Access`` holds to the letter, by convention ``group:staff`` or ``user:mia``; one that begins with ``@`` is
    refused. ``keep`` names what of ``readers``, ``sensitivity`` and ``metadata`` a document that is stored already
    leaves as it is; files, which say nothing of them, keep all three. ``metadata`` is a JSON object, nested at most 64
    levels deep; its numbers keep their exact value (``float`` becomes the ``Decimal`` of its shortest form). ``id`` and
    each reader have at most 1,024 bytes of UTF-8.
    ``text`` keeps the source's own characters but for its line ends, which become ``\\n``: locators count in this text.
    Raises ``InvalidDocument`` naming document and field (and the offset of a NUL or lone surrogate);
    ``ragspine_pg.contract.text.replace_unstorable`` mends such a text where that is wanted.
    """

    id: str
    text: str
    title: str
    source_uri: str
    metadata: Mapping[str, Any]
    readers: frozenset[str] | None
    sensitivity: Sensitivity
    language: str | None
    keep: frozenset[str]

    def __init__(
        self,
        id: str,
        text: str,
        *,
        title: str = "",
        source_uri: str = "",
        metadata: Mapping[str, Any] | None = None,
        readers: Iterable[str] | None = None,
        sensitivity: Sensitivity | str = Sensitivity.INTERNAL,
        language: str | None = None,
        keep: Iterable[str] = (),
    ) -> None:
        fault = name_fault(id)
        if fault is not None:
            raise InvalidDocument(f"a document's id {fault[0]}", field="id", offset=fault[1])
        for field, value in (("text", text), ("title", title), ("source_uri", source_uri)):
            if not isinstance(value, str):
                raise InvalidDocument(f"{field} is a string, not a {type(value).__name__}", document=id, field=field)
            offset = unstorable_offset(value)
            if offset is not None:
                raise InvalidDocument(
                    f"{field} holds a NUL or a lone surrogate at offset {offset}; remove or replace it",
                    document=id,
                    field=field,
                    offset=offset,
                )
        if len(title) > MAX_TITLE_LENGTH:
            raise InvalidDocument(f"a title has at most {MAX_TITLE_LENGTH} code points", document=id, field="title")
        names = None if readers is None else require_readers(readers, document=id)
        try:
            label = Sensitivity(sensitivity)
        except ValueError:
            raise InvalidDocument(
                "sensitivity is one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED", document=id
            ) from None
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "text", text.replace("\r\n", "\n").replace("\r", "\n"))
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "source_uri", source_uri)
        object.__setattr__(self, "metadata", freeze_metadata({} if metadata is None else metadata, document=id))
        object.__setattr__(self, "readers", names)
        object.__setattr__(self, "sensitivity", label)
        kept = require_names("keep", keep, InvalidDocument, document=id)
        if not kept <= KEEPABLE:
            raise InvalidDocument("keep names some of readers, sensitivity and metadata", document=id)
        object.__setattr__(self, "language", language)
        object.__setattr__(self, "keep", kept)
