"""Plain text, and the bounded UTF-8 reading that every format shares."""

import zlib
from gzip import BadGzipFile
from typing import BinaryIO

from ragspine_pg.contract.document import Document
from ragspine_pg.errors import InvalidDocument, SourceRefused
from ragspine_pg.ingest.normalise import normalise_text

DEFAULT_MAX_TEXT_BYTES = 16 * 1024 * 1024
"""Bytes one document's source may have, unpacked: 16 MiB, some eight thousand pages."""

MAX_TITLE_LENGTH = 500
"""Code points that are kept of a title found in a source."""

_UTF8_BOM = b"\xef\xbb\xbf"


def load_text(
    source_id: str, data: bytes, max_bytes: int = DEFAULT_MAX_TEXT_BYTES, *, replace_unstorable: bool = False
) -> Document:
    """A document of the UTF-8 text in ``data``: without byte order mark, line ends unified, nothing else changed.

    Raises ``SourceRefused`` for more than ``max_bytes`` bytes, ``InvalidDocument`` with the offset of the first byte
    that is not UTF-8, and for a NUL (``replace_unstorable=True`` puts U+FFFD in its place).
    """
    text = decode_text(source_id, data, max_bytes)
    return Document(source_id, normalise_text(source_id, text, replace=replace_unstorable))


def decode_text(source_id: str, data: bytes, max_bytes: int = DEFAULT_MAX_TEXT_BYTES, encoding: str = "utf-8") -> str:
    """``data`` decoded strictly, a UTF-8 byte order mark dropped; errors as ``load_text``."""
    if len(data) > max_bytes:
        raise too_large(source_id, max_bytes)
    start = len(_UTF8_BOM) if encoding == "utf-8" and data.startswith(_UTF8_BOM) else 0
    try:
        return data[start:].decode(encoding)
    except UnicodeDecodeError as error:
        offset = start + error.start
        hint = "; it looks like UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") and encoding == "utf-8" else ""
        raise InvalidDocument(
            f"{source_id} is not valid {encoding.upper()} at byte {offset}{hint}", document=source_id, offset=offset
        ) from None


def read_bounded(source_id: str, file: BinaryIO, max_bytes: int) -> bytes:
    """All of ``file``, of which never more than ``max_bytes`` and one byte are read, however well it is packed.

    Raises ``SourceRefused`` when it holds more, ``InvalidDocument`` when it is damaged.
    """
    try:
        data = file.read(max_bytes + 1)
    except (BadGzipFile, EOFError, zlib.error):
        raise damaged(source_id) from None
    if len(data) > max_bytes:
        raise too_large(source_id, max_bytes)
    return data


def too_large(source_id: str, max_bytes: int) -> SourceRefused:
    """The error for a source above its bound."""
    return SourceRefused(
        f"{source_id} has more than {max_bytes} bytes of text; split it, or raise max_text_bytes", source=source_id
    )


def damaged(source_id: str) -> InvalidDocument:
    """The error for a gzip file that cannot be unpacked."""
    return InvalidDocument(f"{source_id} is not a whole gzip file", source=source_id)


def cut_title(title: str) -> str:
    """A title on one line, of at most ``MAX_TITLE_LENGTH`` code points."""
    return " ".join(title.split())[:MAX_TITLE_LENGTH].rstrip()
