"""Generated metadata and filters, weighted to what breaks filters: few fields and small pools, so that values meet."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from ragspine_pg.contract.condition import FilterCondition
from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.instant import read_instant

# Keys as people write them to break out of a statement; each is a plain top-level key. Half are declared fields.
DECLARED = {
    "year": "number",
    "lang": "string",
    "draft": "boolean",
    "when": "timestamp",
    "author' = 'alice' OR '1'='1' --": "string",
    "%s": "number",
    "$1": "timestamp",
}
UNDECLARED = {
    "a.b": "number",
    ":name": "string",
    "?": "boolean",
    '"': "string",
    "-": "number",
    "día\U0001f4c5": "timestamp",
}
FIELDS = DECLARED | UNDECLARED

NUMBERS: list[int | Decimal] = [
    *(0, 1, 2, 2022, 2024, -1, 2**53, 2**53 + 1, -(2**53) - 1, 10**400, 10**400 + 1, -(10**400)),
    *map(
        Decimal, ("-0.0", "1.0", "0.1", "0.10", "0.1000000000000000055", "-0.1", "1E-400", "2024.0", "-1E-400", "1E+2")
    ),
]
STRINGS = [
    *("", "1", "true", "null", "a", "A", "ab", "b", "de", "O'Brien", "%", "_", "\\", '"', "2024"),
    *("é", "e\u0301", "日本語", "日本", "\uffff", "\U00010000", "\U0010ffff", "\U0001f4c5"),
    *("x" * 255, "x" * 256, "x" * 257, "x" * 256 + "y", "é" * 256 + "a", "x" * 254 + "€", "x" * 254 + "zz"),
]
TIMES = [
    *("2024-05-01", "2024-05-01T00:00:00Z", "2024-05-01T02:00:00+02:00", "2024-04-30T23:59:59.9999999Z"),
    *("2024-05-01 00:00:00z", "2024-05-01t00:00:00.000000-00:00", "2024-05-01T00:00:00.000001Z"),
    *("2024-02-29", "0001-01-01T00:00:00+15:59", "9999-12-31T23:59:59.999999-15:59", "1969-12-31T23:59:59.5Z"),
]
NO_TIMES = [
    *("2023-02-29", "0000-01-01", "2024-05-01T00:00:00", "2024-05-01T24:00:00Z", "2024-05-01T23:59:60Z", "now", ""),
    *("2024-05-01T00:00:00+16:00", "2024-05-01T00:00Z", "２０２４-05-01", "2024-05-01\n", "20240501", "2024-05-01Z"),
    *("2024-05-01T00:00:00.Z", "infinity", "2024-13-01", "2024-05-01T00:00:00." + "1" * 33 + "Z"),
]
# Three of four values come from a handful, so that a condition has something to match.
_POOLS: dict[str, st.SearchStrategy[Any]] = {
    "number": st.one_of(
        *[st.sampled_from([1, Decimal("1.0"), Decimal("0.1"), 2**53, 2**53 + 1])] * 3,
        st.sampled_from(NUMBERS) | st.integers(-3, 3) | st.decimals(-2, 2, places=2),
    ),
    "string": st.one_of(
        *[st.sampled_from(["1", "ab", "b", "日本", "x" * 257])] * 3,
        st.sampled_from(STRINGS) | st.text(alphabet="ab'%\U0001f4c5", max_size=3),
    ),
    "boolean": st.booleans(),
    "timestamp": st.sampled_from(TIMES[:5]) | st.sampled_from(TIMES),
}
_ANY = st.one_of(
    *_POOLS.values(), st.none(), st.sampled_from(NO_TIMES), st.just({}), st.just({"a": 1}), st.just([1]), st.just([])
)


def _stored(kind: str) -> st.SearchStrategy[Any]:
    plain = _POOLS[kind]
    some_list = st.lists(plain, max_size=3)
    choices = [plain, plain, plain, some_list, some_list, some_list, st.lists(_ANY, max_size=3), _ANY]
    if kind == "timestamp":
        choices.append(st.sampled_from(NO_TIMES))
    return st.one_of(choices)


def metadata() -> st.SearchStrategy[dict[str, Any]]:
    """A document's metadata: most fields there, most values of the field's kind."""
    always = sorted(FIELDS)[::2]
    return st.fixed_dictionaries(
        {name: _stored(FIELDS[name]) for name in always},
        optional={name: _stored(FIELDS[name]) for name in sorted(FIELDS) if name not in always},
    )


@st.composite
def conditions(draw: st.DrawFn) -> FilterCondition:
    """A valid condition; on a declared timestamp its values are instants."""
    field = draw(st.sampled_from(sorted(FIELDS)))
    instants = DECLARED.get(field) == "timestamp"
    kind = FIELDS[field]
    if not instants and draw(st.integers(0, 9)) == 0:
        kind = draw(st.sampled_from(sorted(_POOLS)))
    value = _POOLS[kind]
    op = draw(
        st.sampled_from(
            ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "between", "exists", "is_null"]
            + ["contains", "contains_any", "contains_all"]
            + ([] if instants or kind in ("number", "boolean") else ["prefix"])
        )
    )
    if op in ("exists", "is_null"):
        return FilterCondition(field, op, draw(st.sampled_from([None, True, False])))
    if op in ("in", "nin", "contains_any", "contains_all"):
        return FilterCondition(field, op, draw(st.lists(value, max_size=12)))
    if op == "between":
        by_instant = instants or kind == "timestamp"
        low, high = sorted(
            draw(st.tuples(value, value)), key=(lambda text: read_instant(text) or 0) if by_instant else None
        )
        if not instants and low > high:
            low, high = high, low
        return FilterCondition(field, op, [low, high])
    if op == "prefix" and kind == "string":
        return FilterCondition(field, op, draw(value)[: draw(st.sampled_from([0, 1, 2, 256, 300]))])
    return FilterCondition(field, op, draw(value))


def filters(depth: int = 2) -> st.SearchStrategy[MetadataFilter]:
    """A filter: often one condition, sometimes groups of groups."""
    single = conditions().map(lambda condition: MetadataFilter((condition,)))
    if depth == 0:
        return single
    parts = st.lists(filters(depth - 1), max_size=3)
    joined = st.builds(
        lambda join, inner: MetadataFilter(inner, join=join), st.sampled_from(["all_of", "any_of", "none_of"]), parts
    )
    return single | joined
