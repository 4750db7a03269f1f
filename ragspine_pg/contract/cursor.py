"""Cursors: what a search has shown, for the search that goes on. The twins in SQL: write_cursor_v1, read_cursor_v1.

A page is a search of its own, deep enough to hold what was shown, which is left out. So nothing is repeated, nothing
that ranks above what is still to come is lost, and rights are judged again; documents that arrive meanwhile may come
in. A cursor is no secret and proves nothing. Only what a cursor is written as is read: another spelling of the same
content is none, so that both twins read the same texts.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.metadata import load_json
from ragspine_pg.contract.result import Hit
from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import QueryError

MAX_LENGTH: Final = 1_000_000
"""Far more characters than a thousand hits take; ``read_cursor_v1`` has the same."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """``versions``: library id to version; ``shown``: library id to the chunk ids shown so far, in their order."""

    versions: Mapping[str, int]
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many hits were shown."""
        return sum(len(chunks) for chunks in self.shown.values())

    def after(self, hits: Iterable[Hit]) -> "Cursor":
        """The cursor once these hits are shown, too."""
        shown = {library: list(chunks) for library, chunks in self.shown.items()}
        for hit in hits:
            shown.setdefault(hit.library_id, []).append(hit.chunk_id)
        return Cursor(self.versions, shown)

    def write(self, request: Mapping[str, Any]) -> str:
        """The text of the cursor, bound to ``request`` (all that makes two searches pages of one result)."""
        return self._written(_digest(request))

    def _written(self, digest: str) -> str:
        content = {"request": digest, "shown": self.shown, "versions": self.versions}
        return urlsafe_b64encode(canonical_json(content).encode()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str, request: Mapping[str, Any]) -> "Cursor":
        """The cursor of that text. Raises ``QueryError`` for a text that is none, or the cursor of another request."""
        try:
            if len(text) > MAX_LENGTH:
                raise ValueError("longer than any cursor")
            content = load_json(urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode())
            digest, shown, versions = _text(content["request"]), content["shown"], content["versions"]
            cursor = cls(
                {_text(library): _whole(version) for library, version in versions.items()},
                {_text(library): [_text(chunk) for chunk in _list(chunks)] for library, chunks in shown.items()},
            )
            if cursor._written(digest) != text:
                raise ValueError("no cursor is written so")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise QueryError("after is not a cursor", argument="after") from None
        if digest != _digest(request):
            raise QueryError(
                "the cursor is of another search: only k, filter and expand may change from page to page",
                argument="after",
            )
        return cursor


def _digest(request: Mapping[str, Any]) -> str:
    return sha256(canonical_json(request).encode()).hexdigest()[:16]


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 < value < 2**31:
        raise ValueError("no version's number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or unstorable_offset(value) is not None:
        raise TypeError("no text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value
