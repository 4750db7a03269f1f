"""One condition of a metadata filter: a field, an operator and what it compares with."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias

from ragspine_pg.contract.instant import read_instant
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.text import replace_unstorable, unstorable_offset
from ragspine_pg.errors import InvalidFilter

Scalar: TypeAlias = str | bool | int | Decimal

# In this order the message about an unknown operator lists them; sql/functions/check_condition_v1 has the same.
OPERATORS: Final = (
    *("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "between"),
    *("exists", "is_null", "contains", "contains_any", "contains_all", "prefix"),
)
MAX_DIGITS: Final = 1000

_OF_MANY: Final = frozenset({"in", "nin", "contains_any", "contains_all"})
_FLAGS: Final = frozenset({"exists", "is_null"})
# What str.isspace() accepts, written out because a server's notion of white space depends on its locale.
_BLANK: Final = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


@dataclass(frozen=True, slots=True, init=False, eq=False)
class FilterCondition:
    """``field`` ``op`` ``value``: what one top-level key of a document's metadata must hold.

    ``field`` is the key itself; a dot in it is part of it. ``value`` is copied: a str, bool, int or Decimal (a float
    becomes the Decimal of its shortest form), or a tuple of them for the operators that take a list (an iterable is
    read once, a set is sorted).

    ===================================  =========================================================================
    ``eq`` ``ne``                        the value is equal, or not; on a list: some element is, or none
    ``in`` ``nin``                       it is one of a list, or not; on a list: some element is, or none
    ``gt`` ``gte`` ``lt`` ``lte``        strings by code point, numbers exactly, false before true; never a list
    ``between``                          from the first bound to the second, both included; never a list
    ``prefix``                           a string that begins with the value; never a list
    ``contains``                         a list with an element equal to the value
    ``contains_any`` ``contains_all``    a list with one, or every, value among its elements
    ``exists``                           the key is there and not null; with False, the contrary
    ``is_null``                          the key is there and null; with False, the contrary
    ===================================  =========================================================================

    A missing key, a null, an object or a value of another type than the condition's makes the condition *unknown*, and
    what is unknown never matches, negated or not (SQL's three-valued logic; over elements ``eq`` is their OR, so that
    an element of another type turns a non-match unknown). Of an empty list: ``in`` and ``contains_any`` are false,
    ``contains_all`` is true, of whatever has the field (or is a list). ``exists`` and ``is_null`` are never unknown.

    In a library that declares the field a ``timestamp``, values are instants: see ``contract.instant``.

    Raises ``InvalidFilter`` naming field and operator (``ids``: ``field``, ``operator``), never the value.
    """

    field: str
    op: str
    value: Scalar | tuple[Scalar, ...] | None

    def __init__(self, field: str, op: str, value: Any = None) -> None:
        if not isinstance(field, str) or not field.strip(_BLANK) or unstorable_offset(field) is not None:
            raise refusal(field, op, "a field is a string, not blank, without NUL or lone surrogates")
        if not isinstance(op, str) or op not in OPERATORS:
            raise refusal(field, op, f"an operator is one of {', '.join(OPERATORS)}")
        object.__setattr__(self, "field", str(field))
        object.__setattr__(self, "op", str(op))
        object.__setattr__(self, "value", _operand(field, op, value))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """What is compared with, always as a tuple; empty for ``exists`` and ``is_null``."""
        if self.op in _FLAGS or self.value is None:
            return ()
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def kind(self) -> str | None:
        """The type that is compared: ``string``, ``number`` or ``boolean``; None where there is no value."""
        return scalar_kind(self.values[0]) if self.values else None

    def as_object(self) -> dict[str, Any]:
        """The JSON form: ``{"field": ..., "op": ..., "value": ...}``, without a value that is None."""
        plain: dict[str, Any] = {"field": self.field, "op": self.op}
        if self.value is not None:
            plain["value"] = list(self.value) if isinstance(self.value, tuple) else self.value
        return plain

    # By JSON form: in Python 1 == True, but the two conditions differ.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FilterCondition):
            return NotImplemented
        return dump_json(self.as_object()) == dump_json(other.as_object())

    def __hash__(self) -> int:
        return hash(dump_json(self.as_object()))


def refusal(field: object, op: object, reason: str) -> InvalidFilter:
    """The error about a condition: it shows field and operator (as JSON, at most 100 characters), never the value."""
    shown = json.dumps(replace_unstorable(field[:100]), ensure_ascii=False) if isinstance(field, str) else "?"
    named = json.dumps(replace_unstorable(op[:100]), ensure_ascii=False) if isinstance(op, str) else "?"
    return InvalidFilter(
        f"filter on {shown}, operator {named}: {reason}",
        field=replace_unstorable(field) if isinstance(field, str) else None,
        operator=replace_unstorable(op) if isinstance(op, str) else None,
    )


def scalar_kind(value: object) -> str | None:
    """The type by which a value compares: ``string``, ``number``, ``boolean``, or None for anything else."""
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | Decimal() | float():
            return "number"
        case _:
            return None


def reversed_bounds(low: Scalar, high: Scalar, *, instants: bool) -> bool:
    """Whether a ``between`` runs backwards, its bounds read as instants or as plain values of one type."""
    if instants and isinstance(low, str) and isinstance(high, str):
        first, last = read_instant(low), read_instant(high)
        return first is None or last is None or first > last
    return low > high  # type: ignore[operator]  # one type, as _operand has seen


def _operand(field: str, op: str, value: Any) -> Scalar | tuple[Scalar, ...] | None:
    if op in _FLAGS:
        if value is not None and not isinstance(value, bool):
            raise refusal(field, op, "it takes true, false or no value")
        return value
    if op in _OF_MANY:
        return _list(field, op, value)
    if op == "between":
        bounds = _list(field, op, value)
        if len(bounds) != 2:
            raise refusal(field, op, "it takes a list of two bounds")
        # Only compile and apply know whether the field is a timestamp; here, what is reversed either way.
        if all(reversed_bounds(*bounds, instants=reading) for reading in (False, True)):
            raise refusal(field, op, "the bounds are reversed")
        return bounds
    if value is None:
        raise refusal(field, op, "it needs a value; is_null finds null")
    scalar = _scalar(field, op, value)
    if scalar is None:
        raise refusal(field, op, "it takes one string, number or boolean")
    if op == "prefix" and not isinstance(scalar, str):
        raise refusal(field, op, "it takes one string")
    return scalar


def _list(field: str, op: str, value: Any) -> tuple[Scalar, ...]:
    if isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
        raise refusal(field, op, "it takes a list of strings, numbers or booleans")
    unordered = isinstance(value, (set, frozenset))
    values: list[Any] = [_scalar(field, op, item) for item in value]
    if any(item is None for item in values):
        raise refusal(field, op, "it takes a list of strings, numbers or booleans")
    if len({scalar_kind(item) for item in values}) > 1:
        raise refusal(field, op, "the values of a list are of one type")
    return tuple(sorted(values) if unordered else values)


def _scalar(field: str, op: str, value: Any) -> Scalar | None:
    match value:
        case bool():
            return value
        case str():
            if unstorable_offset(value) is not None:
                raise refusal(field, op, "a string holds neither NUL nor lone surrogates")
            return str(value)
        case int():
            return _number(field, op, Decimal(value), int(value))
        case float() | Decimal():
            exact = Decimal(repr(float(value))) if isinstance(value, float) else value
            if not exact.is_finite():
                raise refusal(field, op, "a number is finite")
            return _number(field, op, exact, exact)
        case _:
            return None


def _number(field: str, op: str, exact: Decimal, kept: int | Decimal) -> int | Decimal:
    # Significant digits, by their count and by the place of the first: far inside what PostgreSQL's numeric holds.
    significant = "".join(map(str, exact.as_tuple().digits)).strip("0")
    if len(significant) > MAX_DIGITS or (exact and abs(exact.adjusted()) > MAX_DIGITS):
        raise refusal(field, op, f"a number has at most {MAX_DIGITS} digits")
    return kept
