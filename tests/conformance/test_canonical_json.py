"""Canonical JSON in Python and in SQL: the same bytes for every value, and those of RFC 8785.

The judges: the examples printed in RFC 8785, and a JavaScript engine, from whose own rules RFC 8785 was made.
"""

import json
import math
import random
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.canonical import canonical_float, canonical_json, canonical_number
from ragspine_pg.contract.metadata import dump_json, freeze_metadata, load_json
from ragspine_pg.statement.catalogue import read
from tests.fixtures.database import Database

Connection = psycopg.Connection[Any]
ToCanonical = Callable[[Any], str]

# PostgreSQL stores neither NUL nor lone surrogates. The odd characters are those around which sort orders differ.
_TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from('\x01\x1f\x7f\x80"\\/\b\f\n\r\t\u2028\ud7ff\ue000\ufb33\uffff\U00010000\U0010fffe\U0010ffff'),
    ),
    max_size=8,
)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)
_EXACT = st.one_of(
    st.integers(),
    st.builds(
        lambda sign, digits, power: sign * digits * 10**power,
        st.sampled_from((1, -1)),
        st.integers(1),
        st.integers(0, 330),
    ),
    st.builds(
        lambda digits, power: Decimal(digits).scaleb(power), st.integers(-(10**24), 10**24), st.integers(-340, 320)
    ),
)


def _nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    scalars = st.one_of(st.none(), st.booleans(), _TEXTS, leaves)
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXTS, inner, max_size=5),
        max_leaves=25,
    )


def in_sql(connection: Connection) -> ToCanonical:
    def to_canonical(value: Any) -> str:
        return ask(connection, "SELECT ragspine.canonical_json_v1(%s::jsonb)", dump_json(value))

    return to_canonical


def ask(connection: Connection, query: str, value: Any) -> str:
    row = connection.execute(query, [value]).fetchone()
    assert row is not None
    assert isinstance(row[0], str)
    return row[0]


def in_javascript(values: Sequence[Any]) -> list[str]:
    """Each value as an engine writes it: JSON.stringify for strings and numbers, its default sort for keys."""
    program = """
        const write = (v) =>
          v === null || typeof v !== "object" ? JSON.stringify(v)
          : Array.isArray(v) ? "[" + v.map(write).join(",") + "]"
          : "{" + Object.keys(v).sort().map((k) => JSON.stringify(k) + ":" + write(v[k])).join(",") + "}";
        const values = JSON.parse(require("fs").readFileSync(0, "utf8"));
        process.stdout.write(JSON.stringify(values.map(write)));
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("node, the independent judge, is not installed")
    done = subprocess.run([node, "-e", program], input=json.dumps(values).encode(), capture_output=True, check=True)
    written: list[str] = json.loads(done.stdout)
    assert len(written) == len(values) > 0
    return written


def float_of(bits: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return value


def hard_floats() -> list[float]:
    """Powers of two and of ten with their neighbours, random bits, and decimals half-way between two float64s."""
    chosen = random.Random(8785)
    found = [math.ldexp(1.0, power) for power in range(-1074, 1024)] + [
        float(f"1e{power}") for power in range(-323, 309)
    ]
    found += [float_of(f"{chosen.getrandbits(64):016x}") for _ in range(3000)]
    for power in range(24):
        for _ in range(40):
            odd = chosen.randint(2**53 // 5**power, 2**54 // 5**power) | 1
            found += [float(odd * 5**power << shift) for shift in range(power, power + 12)]
    found += [math.nextafter(value, away) for value in found for away in (-math.inf, math.inf)]
    return [value for value in found if math.isfinite(value)]


@pytest.fixture(scope="module")
def connection(database: Database) -> Iterator[Connection]:
    with psycopg.connect(database.reader_url, autocommit=True) as reader:
        yield reader


# The assertion cores, also run on planted faults below.


def assert_writes_the_examples_of_the_rfc(to_canonical: ToCanonical) -> None:
    example = json.loads(
        r"""{
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
          "literals": [null, true, false]
        }"""
    )
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert to_canonical(freeze_metadata(example)) == expected
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    in_order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    written = to_canonical(dict.fromkeys(keys))
    assert list(json.loads(written)) == in_order
    assert written == "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:null" for key in in_order) + "}"


def assert_orders_keys_by_utf16(to_canonical: ToCanonical) -> None:
    parts = [
        "",
        "\x01",
        "a",
        "\ud7ff",
        "\ue000",
        "\uffff",
        "\U00010000",
        "\U0010ffff",
        "\U0010ffff\x01",
        "\U0010ffff\ue000",
    ]
    keys = {first + second for first in parts for second in parts}
    assert len(keys) > 80
    written = list(json.loads(to_canonical(dict.fromkeys(keys))))
    assert written == sorted(keys, key=lambda key: key.encode("utf-16-be"))


def assert_writes_shortest_floats(written: Sequence[str], values: Sequence[float]) -> None:
    """Against Python's own shortest digits, compared as exact numbers, so that the layout is not judged here."""
    assert len(written) == len(values) > 0
    for text, value in zip(written, values, strict=True):
        assert Decimal(text) == Decimal(repr(value)), value.hex()


def floats_in_sql(connection: Connection, values: Sequence[float]) -> list[str]:
    query = """
        SELECT array_agg(ragspine.canonical_float_v1(v) ORDER BY n) FROM unnest(%b::float8[]) WITH ORDINALITY AS u(v, n)
    """
    row = connection.execute(query, [list(values)]).fetchone()
    assert row is not None
    return list(row[0])


def test_python_and_sql_write_the_examples_of_the_rfc(connection: Connection) -> None:
    assert_writes_the_examples_of_the_rfc(canonical_json)
    assert_writes_the_examples_of_the_rfc(in_sql(connection))


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_float_of_the_rfc_is_written_as_printed_there(connection: Connection, bits: str, expected: str) -> None:
    value = float_of(bits)
    exact = Decimal(repr(value))
    assert canonical_float(value) == canonical_number(exact) == expected
    assert floats_in_sql(connection, [value]) == [expected]
    assert ask(connection, "SELECT ragspine.canonical_number_v1(%s)", exact) == expected


def test_hard_floats_are_written_as_javascript_writes_them(connection: Connection) -> None:
    values = hard_floats()
    written = [canonical_float(value) for value in values]
    assert written == floats_in_sql(connection, values)
    assert_writes_shortest_floats(written, values)
    assert written == in_javascript(values)


@settings(max_examples=8, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(values=st.lists(_nested(_FLOATS), min_size=20, max_size=40))
def test_any_value_of_floats_is_written_as_javascript_writes_it(connection: Connection, values: list[Any]) -> None:
    expected = in_javascript(values)
    assert [canonical_json(value) for value in values] == expected
    assert [in_sql(connection)(freeze_metadata({"": value})[""]) for value in values] == expected


@settings(max_examples=200, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=_nested(st.one_of(_FLOATS, _EXACT)))
def test_python_and_sql_write_the_same_bytes(connection: Connection, value: Any) -> None:
    frozen = freeze_metadata({"": value})[""]
    written = canonical_json(value)
    assert canonical_json(frozen) == written
    assert in_sql(connection)(frozen).encode() == written.encode()
    assert canonical_json(load_json(written)) == written  # a fixed point: reading loses nothing


@settings(max_examples=200, deadline=None, database=None)
@given(number=_EXACT)
def test_exact_number_reads_back_as_itself(connection: Connection, number: int | Decimal) -> None:
    written = canonical_number(number)
    assert Decimal(written) == Decimal(number)
    assert ask(connection, "SELECT ragspine.canonical_number_v1(%s::numeric)", dump_json(number)) == written


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("9007199254740993", "9007199254740993"),  # no float64 is this number
        ("1180591620717411303424", "1180591620717411303424"),  # 2^70 is one, but its shortest form is another number:
        ("1180591620717411300000.0", "1.1805916207174113e+21"),
        ("100000000000000000000000", "1e+23"),
        ("99999999999999990000000", "99999999999999990000000"),
        ("0.10", "0.1"),
        ("0.10000000000000000001", "0.10000000000000000001"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("-0.0", "0"),
        ("1e400", "1" + "0" * 400),
        ("1e-330", "0." + "0" * 329 + "1"),
        ("4e-324", "0." + "0" * 323 + "4"),
        ("1.7976931348623158e308", "17976931348623158" + "0" * 292),
        ("1e131000", "1" + "0" * 131000),
        ("1e-16000", "0." + "0" * 15999 + "1"),
    ],
)
def test_exact_number_is_never_rounded_and_never_refused(connection: Connection, written: str, expected: str) -> None:
    assert canonical_json(Decimal(written)) == expected
    assert ask(connection, "SELECT ragspine.canonical_json_v1(%s::jsonb)", written) == expected


@settings(max_examples=100, deadline=None, database=None)
@given(keys=st.lists(_TEXTS, min_size=2, max_size=20, unique=True))
def test_keys_are_in_order_of_utf16_code_units(connection: Connection, keys: list[str]) -> None:
    expected = sorted(keys, key=lambda key: key.encode("utf-16-be"))
    assert list(json.loads(canonical_json(dict.fromkeys(keys)))) == expected
    assert list(json.loads(in_sql(connection)(dict.fromkeys(keys)))) == expected


def test_hard_keys_are_in_order_of_utf16_code_units(connection: Connection) -> None:
    assert_orders_keys_by_utf16(canonical_json)
    assert_orders_keys_by_utf16(in_sql(connection))


@pytest.mark.parametrize(("opening", "closing", "depth"), [("[", "]", 5000), ('{"a":[', "]}", 2000)])
def test_deep_nesting_is_no_error(connection: Connection, opening: str, closing: str, depth: int) -> None:
    text = opening * depth + "1" + closing * depth
    value: Any = 1
    for _ in range(depth):
        value = [value] if closing == "]" else {"a": [value]}
    assert canonical_json(value) == text
    assert ask(connection, "SELECT ragspine.canonical_json_v1(%s::jsonb)", text) == text


def test_session_that_wants_fewer_digits_changes_no_byte(database: Database) -> None:
    values = [0.1 + 0.2, 1 / 3, 1e23, 2.0**60]
    with psycopg.connect(database.reader_url, options="-c extra_float_digits=-15") as connection:
        assert ask(connection, "SELECT (%s::float8)::text", 1 / 3) != "0.3333333333333333"  # the setting does something
        assert floats_in_sql(connection, values) == [canonical_float(value) for value in values]
        assert in_sql(connection)(freeze_metadata({"v": values})) == canonical_json({"v": values})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_number_that_json_lacks_is_refused(connection: Connection, value: float) -> None:
    for refused in ([value], Decimal(value), value):
        with pytest.raises(ValueError, match="NaN"):
            canonical_json(refused)
    for kind in ("float8", "numeric"):
        function = {"float8": "canonical_float_v1", "numeric": "canonical_number_v1"}[kind]
        with pytest.raises(psycopg.Error) as refusal:
            ask(connection, f"SELECT ragspine.{function}(%s::text::{kind})", str(value))
        assert refusal.value.sqlstate == "RS006"


@pytest.mark.parametrize(
    ("value", "error"), [({1: 2}, TypeError), ({"a": {1, 2}}, TypeError), (b"a", TypeError), (["a\ud800"], ValueError)]
)
def test_value_that_json_lacks_is_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as refusal:
        canonical_json(value)
    assert "a\ud800" not in str(refusal.value)


# Reverse proofs: the same cores, on edited SQL files.


def plant(connection: Connection, name: str, find: str, put: str) -> None:
    text = read("functions", name)
    assert text.count(find) == 1
    connection.execute(text.replace(find, put).replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))


def test_key_order_core_has_teeth(owner_transaction: Connection) -> None:
    plant(owner_transaction, "canonical_json_v1", r"last_character || '\1'", r"'\1'")
    with pytest.raises(AssertionError):
        assert_orders_keys_by_utf16(in_sql(owner_transaction))
    with pytest.raises(AssertionError):
        assert_writes_the_examples_of_the_rfc(in_sql(owner_transaction))


def test_last_code_point_core_has_teeth(owner_transaction: Connection) -> None:
    plant(owner_transaction, "canonical_json_v1", "last_character || chr(1)", "last_character")
    with pytest.raises(AssertionError):
        assert_orders_keys_by_utf16(in_sql(owner_transaction))


def test_shortest_float_core_has_teeth(owner_transaction: Connection) -> None:
    values = hard_floats()
    assert_writes_shortest_floats(floats_in_sql(owner_transaction, values), values)
    plant(owner_transaction, "canonical_float_v1", "size >= 9007199254740992 AND size < 1e40", "false")
    with pytest.raises(AssertionError):
        assert_writes_shortest_floats(floats_in_sql(owner_transaction, values), values)


def test_javascript_core_has_teeth(owner_transaction: Connection) -> None:
    plant(owner_transaction, "canonical_float_v1", "size < 1e21", "size < 1e22")
    assert floats_in_sql(owner_transaction, [1e21]) != in_javascript([1e21])
