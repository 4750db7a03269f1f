"""JSON Lines: one document a line, read as a stream."""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from difflib import get_close_matches
from gzip import BadGzipFile
from typing import Any, BinaryIO, Final, NoReturn

from ragspine_pg.contract.document import KEEPABLE, Document
from ragspine_pg.errors import IngestError, InvalidDocument, SourceRefused
from ragspine_pg.ingest.loader.text import DEFAULT_MAX_TEXT_BYTES, damaged
from ragspine_pg.ingest.normalise import normalise_text, replace_everywhere

_KEYS = frozenset({"id", "_id", "text", "title", "metadata", "readers", "sensitivity", "source_uri", "language"})
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}")
_SHOWN: Final = 5
_UTF8_BOM = b"\xef\xbb\xbf"


def load_jsonl(
    source_id: str,
    file: BinaryIO,
    max_bytes: int = DEFAULT_MAX_TEXT_BYTES,
    *,
    replace_unstorable: bool = False,
    source_uri: str = "",
    on_line: Callable[[int], None] | None = None,
    on_bad: Callable[[IngestError], None] | None = None,
) -> Iterator[Document]:
    """The documents of a JSONL stream, of which one line of at most ``max_bytes`` bytes is in memory at a time.

    A line is an object of ``id`` (or ``_id``), ``text``, and optionally ``title``, ``metadata``, ``readers``,
    ``sensitivity``, ``source_uri``, ``language``; null is the same as absent, blank lines are passed over, numbers keep
    their exact value. ``source_uri`` is that of lines without one; ``on_line`` is told the bytes of each line before
    its document is yielded. ``on_bad`` is told of each line that is malformed or too long, which is then left out; a
    file that is damaged is an error all the same.

    Raises ``InvalidDocument`` or ``SourceRefused`` naming file and line number and never quoting it. An unknown key is
    an error: ``reader`` for ``readers`` would otherwise open a document to everyone.
    """
    number = 0
    while True:
        number += 1
        line = _read_line(source_id, file, max_bytes + 2)
        if not line:
            return
        is_cut = not line.endswith(b"\n")
        line = line.rstrip(b"\r\n")
        if number == 1:
            line = line.removeprefix(_UTF8_BOM)
        if len(line) > max_bytes:
            refused = SourceRefused(
                f"line {number} of {source_id} has more than {max_bytes} bytes; raise max_text_bytes",
                source=source_id,
                line=number,
            )
            if on_bad is None:
                raise refused
            on_bad(refused)
            while is_cut and (rest := _read_line(source_id, file, max_bytes)):
                is_cut = not rest.endswith(b"\n")
            continue
        if not line.strip():
            continue
        where = _Line(source_id, number)
        try:
            fields = _parse(line, where)
            fields.setdefault("source_uri", source_uri)
            document = _document(fields, where, replace_unstorable)
        except InvalidDocument as error:
            if on_bad is None:
                raise
            on_bad(error)
            continue
        if on_line is not None:
            on_line(len(line))
        yield document


def _read_line(source_id: str, file: BinaryIO, most: int) -> bytes:
    try:
        return file.readline(most)
    except (BadGzipFile, EOFError, zlib.error):
        raise damaged(source_id) from None


class _Line:
    """Where an error is."""

    def __init__(self, source_id: str, number: int) -> None:
        self.source_id = source_id
        self.number = number

    def error(self, what: str, **ids: str | int | None) -> InvalidDocument:
        """``what`` is wrong with this line."""
        ids = {**ids, "source": self.source_id, "line": self.number}
        return InvalidDocument(f"line {self.number} of {self.source_id}: {what}", **ids)


def _parse(line: bytes, where: _Line) -> dict[str, Any]:
    try:
        parsed = json.loads(line.decode(), parse_float=Decimal, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise where.error(f"not valid UTF-8 at byte {error.start}", offset=error.start) from None
    except json.JSONDecodeError as error:
        raise where.error(f"not valid JSON at character {error.pos}", offset=error.pos) from None
    except (ValueError, ArithmeticError):
        raise where.error("holds a number that JSON or the store does not have") from None
    except RecursionError:
        raise where.error("nested too deeply") from None
    if not isinstance(parsed, dict):
        raise where.error("not a JSON object")
    fields = {key: value for key, value in parsed.items() if value is not None}
    if unknown := fields.keys() - _KEYS:
        raise where.error(_unknown(unknown))
    if "id" in fields and "_id" in fields:
        raise where.error("both id and _id are given")
    if "_id" in fields:
        fields["id"] = fields.pop("_id")
    for key, kind in (("id", str), ("text", str), ("language", str), ("metadata", dict), ("readers", list)):
        if key in fields and not isinstance(fields[key], kind):
            name = {str: "a string", dict: "an object", list: "a list of strings"}[kind]
            raise where.error(f"{key} is not {name}", field=key)
    if not all(isinstance(reader, str) for reader in fields.get("readers", ())):
        raise where.error("readers is not a list of strings", field="readers")
    for key in ("id", "text"):
        if key not in fields:
            raise where.error(f"{key} is missing", field=key)
    return fields


def _unknown(keys: Iterable[str]) -> str:
    """A key that is written like a name is named; anything else could be a text."""
    names = sorted(key for key in keys if _NAME.fullmatch(key))[:_SHOWN]
    near = [found for name in names for found in get_close_matches(name.lower(), _KEYS, n=1)]
    told = ", ".join(map(repr, names)) or "one of its keys"
    meant = f"; is {near[0]} meant?" if len(names) == len(near) == 1 else ""
    verb = "are" if len(names) > 1 else "is"
    return f"{told} {verb} not known{meant}; a line may have {', '.join(sorted(_KEYS))}"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _document(fields: dict[str, Any], where: _Line, replace: bool) -> Document:
    document_id = fields["id"]
    try:
        if replace:
            kept: dict[str, Any] = {
                key: fields[key] for key in ("id", "readers") if key in fields
            }  # never alter who is meant
            fields = {**replace_everywhere(fields), **kept}
        fields["text"] = normalise_text(document_id, fields["text"], replace=replace)
        return Document(fields.pop("id"), fields.pop("text"), keep=KEEPABLE - fields.keys(), **fields)
    except InvalidDocument as error:
        raise where.error(str(error), **error.ids) from None
    except RecursionError:
        raise where.error("nested too deeply", document=document_id) from None
