"""What goes to the terminal: text that cannot command it, and JSON as bytes.

A document is somebody else's text. An escape sequence in it could retitle the window, hide a line or type a command, so
everything shown to people passes ``visible`` or ``one_line``. JSON needs neither: it escapes control characters itself.
"""

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final, NoReturn

from rich.console import Console
from rich.text import Text

from ragspine_pg.contract.canonical import canonical_json

_PLAIN_WIDTH: Final = 100

# C0 and DEL have pictures of their own (␛); C1 and what turns the direction of a line show their number.
_SHOWN: Final[dict[int, str]] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **{
        code: f"<U+{code:04X}>"
        for code in (*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    },
    **{code: f"<U+{code:04X}>" for code in range(0xD800, 0xE000)},
}
_ONE_LINE: Final[dict[int, str]] = {**_SHOWN, 0x09: " ", 0x0A: " "}


def visible(text: str) -> str:
    """``text`` with its line ends and tabs, and every other control character replaced by something to see."""
    return text.translate(_SHOWN)


def one_line(text: str) -> str:
    """``visible`` on one line."""
    return text.translate(_ONE_LINE)


class _Console(Console):
    """A console that leaves a closed pipe to whoever runs the command."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def output() -> Console:
    """stdout for people: as wide as the terminal, and 100 columns where there is none."""
    return _console(sys.stdout)


def messages() -> Console:
    """stderr for people."""
    return _console(sys.stderr)


def _console(stream: Any) -> Console:
    console = _Console(file=stream, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    return console


def counted(number: int, noun: str) -> str:
    """``1 document``, ``1,024 documents``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def styled(*parts: tuple[str, str] | str) -> Text:
    """A line of parts, each a text or (text, style); control characters are made visible."""
    line = Text()
    for part in parts:
        text, style = part if isinstance(part, tuple) else (part, "")
        line.append(one_line(text), style=style or None)
    return line


def write_json(value: Any) -> None:
    """Write ``value`` as one line of canonical JSON to stdout, in UTF-8 whatever the locale."""
    line = (value if isinstance(value, str) else canonical_json(plain(value))) + "\n"
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(line)
    else:
        buffer.write(line.encode("utf-8"))
        buffer.flush()


def plain(value: Any) -> Any:
    """Values of ours as JSON types: dataclasses as objects, sets as sorted lists, times in ISO 8601."""
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str() | Decimal():
            return value
        case datetime():
            return value.isoformat()
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted(plain(item) for item in value)
        case list() | tuple():
            return [plain(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} is not a JSON type")
