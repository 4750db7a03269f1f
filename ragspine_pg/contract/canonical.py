"""Canonical JSON (RFC 8785): equal values are equal bytes, in Python as in SQL (``ragspine.canonical_json_v1``)."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from ragspine_pg.contract.text import unstorable_offset

# The smallest and the largest decimal exponents of a float64's shortest form (5e-324, 1.7976931348623157e+308).
_LEAST_EXPONENT: Final = -324
_GREATEST_EXPONENT: Final = 308
_MAX_EXACT_INTEGER: Final = 2**53


class _Written(str):
    """A piece of output on the stack of ``canonical_json``, as opposed to a string that is still to be escaped."""


def canonical_json(value: Any) -> str:
    """The canonical JSON text of None, bool, int, float, Decimal, str, lists (tuples) and mappings of strings.

    Keys are sorted by UTF-16 code units, no blank is added, strings are escaped as RFC 8785 says, a ``float`` is
    written as by ``canonical_float`` and an exact number as by ``canonical_number``. Nesting has no limit but memory;
    a value that contains itself is not noticed. Raises ``ValueError`` on NaN, an infinity or a lone surrogate (naming
    its offset in its string) and ``TypeError`` on a type JSON does not have or a key that is no string.
    """
    parts: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        match item := waiting.pop():
            case _Written():
                parts.append(item)
            case str():
                parts.append(_string(item))
            case None | bool() | int() | float() | Decimal():
                parts.append(_scalar(item))
            case Mapping():
                for key in item:
                    if not isinstance(key, str):
                        raise TypeError(f"a key is a {type(key).__name__}; JSON has string keys only")
                waiting.append(_Written("}"))
                for at, key in reversed(list(enumerate(sorted(item, key=_utf16)))):
                    waiting.append(item[key])
                    waiting.append(_Written(("," if at else "") + _string(key) + ":"))
                parts.append("{")
            case list() | tuple():
                waiting.append(_Written("]"))
                for at in reversed(range(len(item))):
                    waiting.append(item[at])
                    if at:
                        waiting.append(_Written(","))
                parts.append("[")
            case _:
                raise TypeError(f"{type(item).__name__} is not a JSON type")
    return "".join(parts)


def canonical_number(value: int | Decimal) -> str:
    """An exact number, never rounded, and as RFC 8785 writes it wherever RFC 8785 can hold it.

    When the decimal value of a float64's shortest form is the number itself, that form (``0.1``, ``1e+21``); else plain
    decimal digits without trailing zeros (``9007199254740993``). So the text always reads back as the same number.
    Raises ``ValueError`` on NaN and the infinities.
    """
    if isinstance(value, int) and -_MAX_EXACT_INTEGER <= value <= _MAX_EXACT_INTEGER:
        return str(int(value))
    exact = Decimal(value)
    if not exact.is_finite():
        raise ValueError("JSON has no form for NaN and the infinities")
    if not exact:
        return "0"
    if _LEAST_EXPONENT <= exact.adjusted() <= _GREATEST_EXPONENT:
        nearest = float(exact)
        if math.isfinite(nearest) and Decimal(repr(nearest)) == exact:
            return canonical_float(nearest)
    plain = format(exact, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def canonical_float(value: float) -> str:
    """A float64 as ECMAScript's Number::toString: the shortest form that reads back the same (``1e-7``, ``1e+21``).

    Raises ``ValueError`` on NaN and the infinities.
    """
    if not math.isfinite(value):
        raise ValueError("JSON has no form for NaN and the infinities")
    if not value:
        return "0"
    # Python finds the same shortest digits as ECMAScript and only lays them out otherwise (1e-05, 1e+16, 2.0).
    sign, all_digits, exponent = Decimal(float.__repr__(value)).as_tuple()
    digits = "".join(map(str, all_digits)).rstrip("0")
    point = len(all_digits) + int(exponent)  # the value is 0.DIGITS times ten to the power of this
    if len(digits) <= point <= 21:
        body = digits.ljust(point, "0")
    elif 0 < point <= 21:
        body = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        body = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+d}"
    return "-" + body if sign else body


def _scalar(value: bool | int | float | Decimal | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return canonical_float(value) if isinstance(value, float) else canonical_number(value)


def _string(value: str) -> str:
    offset = unstorable_offset(value.replace("\0", " "))
    if offset is not None:
        raise ValueError(f"a string holds a lone surrogate at offset {offset}, which UTF-8 cannot write")
    return json.dumps(value, ensure_ascii=False)


def _utf16(key: str) -> bytes:
    # Big-endian bytes compare as code units do. Surrogates pass here; writing the key refuses them.
    return key.encode("utf-16-be", "surrogatepass")
