"""When a condition holds for a metadata value: true, false, or None for unknown.

The meaning of filters in Python; ``sql/functions/compile_condition_v1`` is its twin and must agree on every input.
"""

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Final, TypeAlias

from ragspine_pg.contract.condition import FilterCondition, refusal, reversed_bounds, scalar_kind
from ragspine_pg.contract.instant import read_instant

Truth: TypeAlias = bool | None
ValueTest: TypeAlias = Callable[[Any], Truth]

# What stands in for the value of a key that is not there.
MISSING: Final = object()

# A value ready to compare: its type, and something Python orders as the rules say. None: nothing compares with it.
_Read: TypeAlias = tuple[str, Any] | None


def condition_test(condition: FilterCondition, declared: str | None) -> ValueTest:
    """The test of one metadata value (``MISSING`` for none) by ``condition``.

    ``declared`` is the field's type in the library, or None. Raises ``InvalidFilter`` when it is ``timestamp`` and the
    condition compares with anything that is none, or its bounds are reversed as instants (or else as strings).
    """
    read = _read_instant if declared == "timestamp" else _read
    operands = [read(value) for value in condition.values]
    _check(condition, operands, declared)
    match condition.op:
        case "exists":
            return lambda value: (value is not MISSING and value is not None) is (condition.value is not False)
        case "is_null":
            return lambda value: (value is None) is (condition.value is not False)
        case "eq" | "in":
            return _of_present(lambda value: _has_any(_elements(value), operands, read))
        case "ne" | "nin":
            return _of_present(lambda value: negation(_has_any(_elements(value), operands, read)))
        case "contains" | "contains_any":
            return _of_list(lambda value: _has_any(value, operands, read))
        case "contains_all":
            return _of_list(lambda value: conjunction(_has_any(value, [operand], read) for operand in operands))
        case ordering:
            compare = _ORDERINGS[ordering]
            plain = [operand[1] for operand in operands if operand is not None]
            kind = operands[0][0] if operands[0] is not None else None

            def test(value: Any) -> Truth:
                found = read(value)
                return None if found is None or found[0] != kind else compare(found[1], *plain)

            return test


def negation(truth: Truth) -> Truth:
    """NOT: unknown stays unknown."""
    return None if truth is None else not truth


def conjunction(truths: Iterable[Truth]) -> Truth:
    """AND: false if one is false, else unknown if one is, else true (also of none)."""
    unknown = False
    for truth in truths:
        if truth is False:
            return False
        unknown = unknown or truth is None
    return None if unknown else True


def disjunction(truths: Iterable[Truth]) -> Truth:
    """OR: true if one is true, else unknown if one is, else false (also of none)."""
    return negation(conjunction(negation(truth) for truth in truths))


_ORDERINGS: Final[dict[str, Callable[..., bool]]] = {
    "gt": lambda found, bound: bool(found > bound),
    "gte": lambda found, bound: bool(found >= bound),
    "lt": lambda found, bound: bool(found < bound),
    "lte": lambda found, bound: bool(found <= bound),
    "between": lambda found, low, high: bool(low <= found <= high),
    "prefix": lambda found, start: bool(found.startswith(start)),
}


def _check(condition: FilterCondition, operands: list[_Read], declared: str | None) -> None:
    if declared == "timestamp":
        if condition.op == "prefix":
            raise refusal(condition.field, condition.op, "the field is a timestamp, which has no prefix")
        if None in operands:
            raise refusal(
                condition.field,
                condition.op,
                "the field is a timestamp: it takes RFC 3339 with an offset, or a plain date",
            )
    if condition.op == "between":
        low, high = condition.values
        if reversed_bounds(low, high, instants=declared == "timestamp"):
            raise refusal(condition.field, condition.op, "the bounds are reversed")


def _of_present(test: ValueTest) -> ValueTest:
    return lambda value: None if value is MISSING or value is None else test(value)


def _of_list(test: ValueTest) -> ValueTest:
    return lambda value: test(value) if isinstance(value, (list, tuple)) else None


def _elements(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _has_any(elements: Iterable[Any], operands: list[_Read], read: Callable[[Any], _Read]) -> Truth:
    found = [read(element) for element in elements]
    return disjunction(_equal(element, operand) for element in found for operand in operands)


def _equal(element: _Read, operand: _Read) -> Truth:
    if element is None or operand is None or element[0] != operand[0]:
        return None
    return bool(element[1] == operand[1])


def _read(value: Any) -> _Read:
    kind = scalar_kind(value)
    if kind is None:
        return None
    if isinstance(value, float):  # metadata that was never stored; a stored number is an int or a Decimal
        return ("number", Decimal(repr(float(value)))) if math.isfinite(value) else None
    return (kind, value)


def _read_instant(value: Any) -> _Read:
    instant = read_instant(value) if isinstance(value, str) else None
    return None if instant is None else ("timestamp", instant)
