"""What a cursor is: Python and SQL read the same texts as the same content, and refuse the others in the same words."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.cursor import Cursor
from ragspine_pg.errors import QueryError
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

REQUEST = {"query": "fox", "mode": "economy"}
NO_CURSOR = "after is not a cursor"
TRUE = Cursor({"a": 1, "\ue000 é": 2**31 - 1, "\U0001f9ed": 7}, {"a": ["0" * 32, "f" * 32], "\U0001f9ed": ["xy"]})
GOOD = TRUE.write(REQUEST)
CONTENT = urlsafe_b64decode(GOOD + "=" * (-len(GOOD) % 4))
assert GOOD.endswith("Q"), "its last letter has bits that say nothing"
DIGEST = json.loads(CONTENT)["request"]


def encoded(content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return urlsafe_b64encode(data).decode().rstrip("=")


def forged(versions: str = '{"a":1}', shown: str = "{}", more: str = "", digest: str = f'"{DIGEST}"') -> str:
    """The cursor of that content; what is added comes after all other keys, as it would in canonical JSON."""
    return encoded(f'{{"request":{digest},"shown":{shown},"versions":{versions}{more}}}')


FORGED = {
    "a version as 1e0": forged('{"a":1e0}'),
    "a version as 1.0": forged('{"a":1.0}'),
    "a version as 10e-1": forged('{"a":10e-1}'),
    "a version of 1.5": forged('{"a":1.5}'),
    "a version of 0": forged('{"a":0}'),
    "a version of -0": forged('{"a":-0}'),
    "a version of -1": forged('{"a":-1}'),
    "a version as 01": forged('{"a":01}'),
    "a version of 2^31": forged('{"a":2147483648}'),
    "a version of 1e999999": forged('{"a":1e999999}'),
    "versions of 1e100000": forged("{" + ",".join(f'"{n}":1e100000' for n in range(9000)) + "}"),
    "a version of 6,000 digits": forged('{"a":' + "9" * 6000 + "}"),
    "a version that is true": forged('{"a":true}'),
    "a version that is a text": forged('{"a":"1"}'),
    "a version that is NaN": forged('{"a":NaN}'),
    "versions that are a list": forged("[1]"),
    "versions that are null": forged("null"),
    "a library twice": forged('{"a":9,"a":1}'),
    "versions twice": forged(more=',"versions":{"a":1}'),
    "a key more": forged(more=',"z":1'),
    "5,000 nested lists more": forged(more=',"z":' + "[" * 5000 + "]" * 5000),
    "100,000 nested lists": encoded("[" * 100_000),
    "6,000 digits more": forged(more=',"z":' + "9" * 6000),
    "1e999999 more": forged(more=',"z":1e999999'),
    "no versions": encoded(f'{{"request":"{DIGEST}","shown":{{}}}}'),
    "a request of another type": forged(digest="5"),
    "a request of 1e999999": forged(digest="1e999999"),
    "a request that is null": forged(digest="null"),
    "chunks that are a text": forged(shown='{"a":"x"}'),
    "chunks that are an object": forged(shown='{"a":{"x":1}}'),
    "chunks that are numbers": forged(shown='{"a":[1]}'),
    "chunks that are nested": forged(shown='{"a":[["x"]]}'),
    "a NUL": forged(shown='{"a":["\\u0000"]}'),
    "a lone surrogate": forged(shown='{"a":["\\ud800"]}'),
    "a lone surrogate in UTF-8": forged(shown='{"a":["\ud800"]}'),
    "an escape that is not needed": forged(shown='{"a":["\\u0061"]}'),
    "keys in another order": encoded(f'{{"versions":{{"a":1}},"request":"{DIGEST}","shown":{{}}}}'),
    "blanks": encoded(json.dumps({"request": DIGEST, "shown": {}, "versions": {"a": 1}})),
    "a blank at the end": encoded(CONTENT + b" "),
    "a byte order mark": encoded(b"\xef\xbb\xbf" + CONTENT),
    "two contents": encoded(CONTENT * 2),
    "half a character": encoded(CONTENT[:-3] + b"\xf0"),
    "a list": encoded("[]"),
    "a text": encoded('"x"'),
    "a number": encoded("5"),
    "null": encoded("null"),
    "nothing": "",
    "no base64": "!!!",
    "padding": GOOD + "=" * (-len(GOOD) % 4 or 4),
    "one = too many": GOOD + "=",
    "== in the middle": GOOD[:8] + "==" + GOOD[8:],
    "== after a whole cursor": encoded(CONTENT + b" " * (-len(CONTENT) % 3)) + "==" + GOOD,
    "a line's end": GOOD + "\n",
    "a line's end in the middle": GOOD[:8] + "\n" + GOOD[8:],
    "a blank before": " " + GOOD,
    "a ! in the middle": GOOD[:8] + "!" + GOOD[8:],
    "a letter of no alphabet": GOOD + "é",
    "bits past the end": GOOD[:-1] + "R",
    "cut by one": GOOD[:-1],
    "cut by two": GOOD[:-2],
    "plain base64": encoded(CONTENT.replace(b"0" * 32, b"?" * 31 + b">")).replace("-", "+").replace("_", "/"),
    "too long": forged(shown='{"a":[' + ",".join(['"x"'] * 200_000) + "]}"),
}


@pytest.fixture(scope="module")
def reader(database: Database) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database.reader_url, autocommit=True) as connection:
        yield connection


def in_python(text: str) -> Any:
    """What the text is read as, or the words of its refusal."""
    try:
        cursor = Cursor.read(text, REQUEST)
    except QueryError as refused:
        return str(refused)
    return {"request": DIGEST, "shown": cursor.shown, "versions": cursor.versions}


def in_sql(reader: psycopg.Connection[Any], text: str) -> Any:
    try:
        row = reader.execute(
            "SELECT ragspine.read_cursor_v1(%s, %s::jsonb)::text", [text, json.dumps(REQUEST)]
        ).fetchone()
    except psycopg.Error as refused:
        assert refused.sqlstate == "RS006"  # noqa: PT017
        return refused.diag.message_primary
    assert row is not None
    return json.loads(row[0])


def test_a_cursor_that_python_wrote_is_read_by_both(reader: psycopg.Connection[Any]) -> None:
    assert in_python(GOOD) == in_sql(reader, GOOD) == json.loads(CONTENT)
    other = Cursor({"a": 1}).write({"query": "owl"})
    assert in_python(other) == in_sql(reader, other)
    assert "another search" in in_python(other)
    many = Cursor({"a": 1}, {"a": [f"{n:032x}" for n in range(1000)]}).write(REQUEST)
    assert in_python(many) == in_sql(reader, many) != NO_CURSOR


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_a_forged_cursor_is_refused_by_both(reader: psycopg.Connection[Any], text: str) -> None:
    assert in_python(text) == NO_CURSOR
    assert in_sql(reader, text) == NO_CURSOR


_bytes = st.one_of(st.sampled_from(list(b'0123456789eE.-+"\\{}[],: u')), st.integers(0, 255))
_changes = st.lists(
    st.tuples(st.sampled_from(["put", "add", "cut"]), st.integers(0, 10_000), _bytes), min_size=1, max_size=4
)


def changed(data: bytes, changes: list[tuple[str, int, int]]) -> bytes:
    made = bytearray(data)
    for how, at, byte in changes:
        place = at % len(made)
        made[place : place + (how != "add")] = b"" if how == "cut" else bytes([byte])
    return bytes(made)


@given(changes=_changes, within=st.booleans())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_cursor_with_some_bytes_changed_is_the_same_to_both(
    reader: psycopg.Connection[Any], changes: list[tuple[str, int, int]], within: bool
) -> None:
    if within:
        text = encoded(changed(CONTENT, changes))
    else:
        text = changed(GOOD.encode(), changes).decode("latin-1").replace("\0", " ")  # no text in SQL holds a NUL
    assert in_python(text) == in_sql(reader, text)


_key = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)


@given(versions=st.dictionaries(_key, st.integers(1, 2**31 - 1)), shown=st.dictionaries(_key, st.lists(_key)))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_cursor_that_is_written_is_read(
    reader: psycopg.Connection[Any], versions: dict[str, int], shown: dict[str, list[str]]
) -> None:
    text = Cursor(versions, shown).write(REQUEST)
    assert in_python(text) == in_sql(reader, text) == {"request": DIGEST, "shown": shown, "versions": versions}
    row = reader.execute(
        "SELECT ragspine.write_cursor_v1(%s::jsonb, %s::jsonb, %s::jsonb)",
        [json.dumps(REQUEST), json.dumps(versions), json.dumps(shown)],
    ).fetchone()
    assert row == (text,)


def test_the_twins_of_a_cursor_have_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("read_cursor_v1", ("sound := after = translate", "sound := after IS NOT NULL OR after = translate"))
    with psycopg.connect(fresh_database.reader_url, autocommit=True) as connection:
        for name in ("a version as 1e0", "blanks", "keys in another order", "bits past the end"):
            assert in_sql(connection, FORGED[name]) != in_python(FORGED[name]) == NO_CURSOR
