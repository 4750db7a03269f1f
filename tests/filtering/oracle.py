"""What a filter means, a second time: from the specification alone, naively, sharing nothing with the product.

It reads the JSON forms and reckons with Kleene's logic as numbers: false 0, unknown 1/2, true 1; AND is the least,
OR the greatest, NOT the difference to 1. Timestamps are taken apart by position.
"""

import datetime
import json
from fractions import Fraction
from typing import Any

FALSE, UNKNOWN, TRUE = Fraction(0), Fraction(1, 2), Fraction(1)


def truth(filter_json: str, metadata_json: str, declared: dict[str, str]) -> bool | None:
    """True, false, or None for unknown."""
    answer = _node(_load(filter_json), _load(metadata_json), declared)
    return {FALSE: False, UNKNOWN: None, TRUE: True}[answer]


def _load(text: str) -> Any:
    return json.loads(text, parse_float=Fraction, parse_int=Fraction)


def _node(node: dict[str, Any], row: dict[str, Any], declared: dict[str, str]) -> Fraction:
    if "field" in node:
        return _condition(node, row, declared.get(node["field"]) == "timestamp")
    for name, parts in node.items():
        answers = [_node(part, row, declared) for part in parts]
        if name == "all_of":
            return min(answers, default=TRUE)
        best = max(answers, default=FALSE)
        return best if name == "any_of" else 1 - best
    return TRUE


def _condition(node: dict[str, Any], row: dict[str, Any], instants: bool) -> Fraction:
    op: str = node["op"]
    wanted: Any = node.get("value")
    there = node["field"] in row
    found = row.get(node["field"])
    if op in ("exists", "is_null"):
        holds = found is not None if op == "exists" else there and found is None
        return TRUE if holds == (wanted is not False) else FALSE
    if found is None:
        return UNKNOWN
    if op in ("ne", "nin"):
        return 1 - _condition({**node, "op": {"ne": "eq", "nin": "in"}[op]}, row, instants)
    if op.startswith("contains") and not isinstance(found, list):
        return UNKNOWN
    if op in ("eq", "in", "contains", "contains_any", "contains_all"):
        candidates = wanted if isinstance(wanted, list) else [wanted]
        elements = found if isinstance(found, list) else [found]
        per_candidate = [max((_same(e, c, instants) for e in elements), default=FALSE) for c in candidates]
        return min(per_candidate, default=TRUE) if op == "contains_all" else max(per_candidate, default=FALSE)
    if op == "between":
        return min(_order(found, ">=", wanted[0], instants), _order(found, "<=", wanted[1], instants))
    if op == "prefix":
        return UNKNOWN if not isinstance(found, str) else TRUE if found[: len(wanted)] == wanted else FALSE
    return _order(found, {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}[op], wanted, instants)


def _sortable(value: Any, instants: bool) -> tuple[str, Any] | None:
    if instants:
        instant = _instant(value) if isinstance(value, str) else None
        return None if instant is None else ("instant", instant)
    for name, kind in (("boolean", bool), ("number", Fraction), ("string", str)):
        if isinstance(value, kind):
            return name, [ord(c) for c in value] if isinstance(value, str) else value
    return None


def _same(found: Any, wanted: Any, instants: bool) -> Fraction:
    left, right = _sortable(found, instants), _sortable(wanted, instants)
    if left is None or right is None or left[0] != right[0]:
        return UNKNOWN
    return TRUE if left == right else FALSE


def _order(found: Any, sign: str, wanted: Any, instants: bool) -> Fraction:
    left, right = _sortable(found, instants), _sortable(wanted, instants)
    if left is None or right is None or left[0] != right[0]:
        return UNKNOWN
    answer = {
        ">": left[1] > right[1],
        ">=": left[1] >= right[1],
        "<": left[1] < right[1],
        "<=": left[1] <= right[1],
    }[sign]
    return TRUE if answer else FALSE


def _digits(text: str, low: int, high: int) -> int | None:
    if not text or not all(c in "0123456789" for c in text):
        return None
    return int(text) if low <= int(text) <= high else None


def _instant(text: str) -> Fraction | None:
    """Seconds, or None."""
    date, rest = text[:10], text[10:]
    if len(date) != 10 or date[4] != "-" or date[7] != "-":
        return None
    numbers = [_digits(date[:4], 1, 9999), _digits(date[5:7], 1, 12), _digits(date[8:], 1, 31)]
    if None in numbers:
        return None
    try:
        seconds = Fraction(datetime.date(*[n for n in numbers if n is not None]).toordinal() * 86400)
    except ValueError:
        return None
    if not rest:
        return seconds
    if rest[0] not in "Tt " or len(rest) < 10 or rest[3] != ":" or rest[6] != ":":
        return None
    clock = [_digits(rest[1:3], 0, 23), _digits(rest[4:6], 0, 59), _digits(rest[7:9], 0, 59)]
    if None in clock:
        return None
    for number, size in zip([n for n in clock if n is not None], (3600, 60, 1), strict=True):
        seconds += number * size
    rest = rest[9:]
    if rest.startswith("."):
        length = next((at for at, c in enumerate(rest[1:]) if c not in "0123456789"), len(rest) - 1)
        if not 1 <= length <= 32:
            return None
        seconds += Fraction(int(rest[1 : 1 + length][:6].ljust(6, "0")), 10**6)
        rest = rest[1 + length :]
    if rest in ("Z", "z"):
        return seconds
    if len(rest) != 6 or rest[0] not in "+-" or rest[3] != ":":
        return None
    hours, minutes = _digits(rest[1:3], 0, 15), _digits(rest[4:], 0, 59)
    if hours is None or minutes is None:
        return None
    return seconds - (hours * 3600 + minutes * 60) * (1 if rest[0] == "+" else -1)
