"""How the library that is there differs from the one that was asked for."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from ragspine_pg.contract.metadata import dump_json

_SHOWN: Final = 80


Path = tuple[str, ...]
"""Names from the whole to a part, such as ``("chunker", "options", "size")``."""


def with_unnamed(stored: Mapping[str, Any], asked: Mapping[str, Any], named: Collection[Path]) -> dict[str, Any]:
    """What was asked for, but as it is stored wherever no path in ``named`` leads: there the call said nothing.

    A path to a whole names all of its parts. Where a whole is on one side only, it is as asked.
    """
    result = {}
    for name in stored.keys() | asked.keys():
        old, new = stored.get(name), asked.get(name)
        below = {path[1:] for path in named if path[0] == name}
        if not below:
            new = old
        elif () not in below and isinstance(old, Mapping) and isinstance(new, Mapping):
            new = with_unnamed(old, new, below)
        if new is not None:
            result[name] = new
    return result


def differences(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """A phrase for each property of a profile that is another, such as ``chunker.options.size is 800, not 1200``.

    Profiles hold no secret. A fingerprint is told only where nothing else of its thing differs.
    """
    return [f"{name} is {old}, not {new}" for name, old, new in _differing("", stored, asked)]


def _differing(prefix: str, stored: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for name in sorted(stored.keys() | asked.keys()):
        old, new = stored.get(name), asked.get(name)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found.extend(_differing(f"{prefix}{name}.", old, new))
        else:
            found.append((prefix + name, _told(old), _told(new)))
    telling = [one for one in found if not one[0].endswith("fingerprint")]
    return iter(telling or found)


def _told(value: Any) -> str:
    if value is None:
        return "none"
    text = dump_json(value["name"] if isinstance(value, Mapping) and "name" in value else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
