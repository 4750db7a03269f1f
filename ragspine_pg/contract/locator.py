"""Where a passage stands: a verbatim slice of a stored document, checkable by anyone who has the text."""

import re
from dataclasses import dataclass

from ragspine_pg.contract.digest import sha256_hex

_FORM = re.compile(r"char=(0|[1-9][0-9]*),(0|[1-9][0-9]*);sha256=([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Locator:
    """A half-open span ``[start, end)`` in code points of the stored text, and the SHA-256 of that slice's UTF-8.

    Written as an RFC 5147 text fragment with an integrity check: ``char=120,480;sha256=<64 hex digits>``.
    """

    start: int
    end: int
    sha256: str

    @classmethod
    def of(cls, text: str, start: int, end: int) -> "Locator":
        """The locator of ``text[start:end]``; raises ``ValueError`` when the span does not lie inside the text."""
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"span {start},{end} does not lie inside a text of {len(text)} code points")
        return cls(start, end, slice_sha256(text[start:end]))

    @classmethod
    def parse(cls, written: str) -> "Locator":
        """Read ``str(locator)`` back; raises ``ValueError`` on any other form."""
        match = _FORM.fullmatch(written)
        if match is None:
            raise ValueError("not a locator: char=START,END;sha256=HEX")
        return cls(int(match[1]), int(match[2]), match[3])

    def __str__(self) -> str:
        return f"char={self.start},{self.end};sha256={self.sha256}"

    def verify(self, text: str) -> bool:
        """Whether this span of ``text`` is, character for character, what was indexed."""
        return 0 <= self.start <= self.end <= len(text) and slice_sha256(text[self.start : self.end]) == self.sha256


def slice_sha256(text: str) -> str:
    """SHA-256 of the UTF-8 bytes, in lower-case hex."""
    return sha256_hex(text.encode())
