"""Metadata filters: conditions on documents' metadata, joined and nested, and their JSON form."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar, cast

from ragspine_pg.contract.condition import FilterCondition
from ragspine_pg.contract.metadata import dump_json
from ragspine_pg.contract.text import replace_unstorable
from ragspine_pg.contract.truth import MISSING, Truth, condition_test, conjunction, disjunction, negation
from ragspine_pg.errors import InvalidFilter

__all__ = ["FilterCondition", "MetadataFilter"]

Join: TypeAlias = Literal["all_of", "any_of", "none_of"]
Test: TypeAlias = Callable[[Mapping[str, Any]], Truth]
T = TypeVar("T")

MAX_DEPTH: Final = 32
MAX_CONDITIONS: Final = 1000

_JOINS: Final = ("all_of", "any_of", "none_of")
_KEYS: Final = frozenset({"field", "op", "value"})


@dataclass(frozen=True, slots=True, init=False)
class MetadataFilter:
    """Conditions and filters joined by ``all_of`` (the default), ``any_of`` or ``none_of``.

    ::

        MetadataFilter.where("year", "gte", 2024)
        MetadataFilter([FilterCondition("year", "gte", 2024), FilterCondition("lang", "in", ["de", "fr"])])
        MetadataFilter.any_of(MetadataFilter.where("lang", "eq", "de"), FilterCondition("lang", "exists", False))

    Three-valued like SQL's WHERE: a document matches when the filter is true of its metadata. ``none_of`` is true when
    every part is false, so a part that is unknown (a missing field) never makes it match. ``all_of`` and ``none_of`` of
    nothing are true, ``any_of`` of nothing is false; ``MetadataFilter()`` matches everything.

    A filter nests at most 32 deep and holds at most 1,000 conditions (an empty group counts as one). A part that is an
    ``all_of`` of one part is replaced by that part, which means the same. Raises ``InvalidFilter``.
    """

    parts: tuple["FilterCondition | MetadataFilter", ...]
    join: Join

    def __init__(self, parts: Iterable["FilterCondition | MetadataFilter"] = (), *, join: Join = "all_of") -> None:
        if join not in _JOINS:
            raise InvalidFilter("a filter joins its parts by all_of, any_of or none_of")
        if isinstance(parts, (str, bytes, Mapping)) or not isinstance(parts, Iterable):
            raise InvalidFilter(
                "a filter takes a list of conditions and filters; where() makes one of a single condition"
            )
        kept = []
        for part in parts:
            if not isinstance(part, (FilterCondition, MetadataFilter)):
                raise InvalidFilter(f"a part of a filter is a condition or a filter, not a {type(part).__name__}")
            while isinstance(part, MetadataFilter) and part.join == "all_of" and len(part.parts) == 1:
                part = part.parts[0]
            kept.append(part)
        object.__setattr__(self, "parts", tuple(kept))
        object.__setattr__(self, "join", join)
        depth, count = _measure(self)
        if depth > MAX_DEPTH:
            _refuse_depth()
        if count > MAX_CONDITIONS:
            _refuse_count()

    @classmethod
    def where(cls, field: str, op: str, value: Any = None) -> "MetadataFilter":
        """A filter of one condition."""
        return cls((FilterCondition(field, op, value),))

    @classmethod
    def all_of(cls, *parts: "FilterCondition | MetadataFilter") -> "MetadataFilter":
        """Every part holds."""
        return cls(parts, join="all_of")

    @classmethod
    def any_of(cls, *parts: "FilterCondition | MetadataFilter") -> "MetadataFilter":
        """At least one part holds."""
        return cls(parts, join="any_of")

    @classmethod
    def none_of(cls, *parts: "FilterCondition | MetadataFilter") -> "MetadataFilter":
        """Every part is false (not merely unknown)."""
        return cls(parts, join="none_of")

    @property
    def conditions(self) -> tuple[FilterCondition, ...]:
        """All conditions at any depth, in order."""
        return tuple(
            condition
            for part in self.parts
            for condition in ((part,) if isinstance(part, FilterCondition) else part.conditions)
        )

    @classmethod
    def from_json(cls, source: str | Mapping[str, Any]) -> "MetadataFilter":
        """The filter that a JSON text, or the mapping it stands for, describes.

        ``{"field": "year", "op": "gte", "value": 2024}``, ``{"all_of": [...]}``, ``{"any_of": [...]}``,
        ``{"none_of": [...]}``, ``{}`` for everything. Nothing else is let pass: an unknown, missing or repeated key is
        ``InvalidFilter``. Numbers keep all their digits.
        """
        if isinstance(source, str):
            try:
                source = json.loads(
                    source,
                    parse_float=Decimal,
                    parse_int=_parse_int,
                    parse_constant=_refuse_constant,
                    object_pairs_hook=_once,
                )
            except ValueError:
                raise InvalidFilter("a filter is valid JSON") from None
            except RecursionError:
                _refuse_depth()
        read = _from_node(source, 1)
        return read if isinstance(read, MetadataFilter) else cls((read,))

    def to_json(self) -> str:
        """The JSON form as text; ``from_json`` gives an equal filter back. Numbers keep all their digits."""
        return dump_json(self.as_object())

    def as_object(self) -> dict[str, Any]:
        """The JSON form as Python values; numbers are int and Decimal."""
        if self.join == "all_of":
            if not self.parts:
                return {}
            if len(self.parts) == 1 and isinstance(self.parts[0], FilterCondition):
                return self.parts[0].as_object()
        return {self.join: [part.as_object() or {"all_of": []} for part in self.parts]}

    def apply(
        self,
        items: Iterable[T],
        *,
        fields: Mapping[str, str] | None = None,
        metadata: Callable[[T], Mapping[str, Any] | None] | None = None,
    ) -> list[T]:
        """Those of ``items`` that match: the same objects in the same order.

        ``fields`` are the library's declared fields, name to type; without it timestamps compare as plain strings.
        An item's metadata is what ``metadata`` gives for it, or the item itself when it is a mapping, or its attribute
        ``metadata``; None counts as empty. Raises ``InvalidFilter`` as ``bind`` does, ``TypeError`` for an item
        without metadata.
        """
        test = self.bind(fields)
        read = _metadata_of if metadata is None else metadata
        return [item for item in items if test(read(item) or {}) is True]

    def bind(self, fields: Mapping[str, str] | None = None) -> Test:
        """The test of one document's metadata: true, false, or None for unknown.

        Raises ``InvalidFilter`` when a condition on a field declared ``timestamp`` compares with what is none.
        """
        tests = [part.bind(fields) if isinstance(part, MetadataFilter) else _bind(part, fields) for part in self.parts]
        match self.join:
            case "all_of":
                return lambda found: conjunction(test(found) for test in tests)
            case "any_of":
                return lambda found: disjunction(test(found) for test in tests)
            case "none_of":
                return lambda found: negation(disjunction(test(found) for test in tests))


def _bind(condition: FilterCondition, fields: Mapping[str, str] | None) -> Test:
    field = condition.field
    test = condition_test(condition, (fields or {}).get(field))
    return lambda found: test(found.get(field, MISSING))


def _metadata_of(item: Any) -> Mapping[str, Any] | None:
    if isinstance(item, Mapping):
        return item
    try:
        return cast("Mapping[str, Any] | None", item.metadata)
    except AttributeError:
        raise TypeError(f"a {type(item).__name__} has no metadata; pass metadata=") from None


def _measure(part: FilterCondition | MetadataFilter) -> tuple[int, int]:
    if isinstance(part, FilterCondition):
        return 0, 1
    measured = [_measure(inner) for inner in part.parts]
    return 1 + max((depth for depth, _ in measured), default=0), sum(count for _, count in measured) or 1


def _from_node(node: Any, depth: int) -> FilterCondition | MetadataFilter:
    if not isinstance(node, Mapping):
        raise InvalidFilter("a filter is a JSON object, and so is each part of a group")
    keys = set(node)
    if not all(isinstance(key, str) for key in keys):
        raise InvalidFilter("the keys of a filter are strings")
    if not keys or (len(keys) == 1 and keys <= set(_JOINS)):
        if depth > MAX_DEPTH:
            _refuse_depth()
        join = next(iter(keys), "all_of")
        parts = node.get(join, ())
        if not isinstance(parts, Sequence) or isinstance(parts, (str, bytes)):
            raise InvalidFilter(f"{join} holds a list")
        return MetadataFilter((_from_node(part, depth + 1) for part in parts), join=cast(Join, join))
    unknown = sorted(keys - _KEYS)
    if unknown:
        raise InvalidFilter(
            f"a filter has no key {_shown(unknown[0])} here: a condition has field, op and value, "
            "a group has one of all_of, any_of, none_of and nothing else"
        )
    return FilterCondition(node.get("field", cast(str, None)), node.get("op", cast(str, None)), node.get("value"))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidFilter(f"a filter gives the key {_shown(key)} twice")
        found[key] = value
    return found


def _shown(key: str) -> str:
    return json.dumps(replace_unstorable(key[:100]), ensure_ascii=False)


def _parse_int(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= 1002 else Decimal(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidFilter(f"{name} is not JSON, and no number of a filter")


def _refuse_depth() -> NoReturn:
    raise InvalidFilter(f"a filter nests at most {MAX_DEPTH} deep")


def _refuse_count() -> NoReturn:
    raise InvalidFilter(f"a filter holds at most {MAX_CONDITIONS} conditions")
