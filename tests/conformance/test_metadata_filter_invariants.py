"""What every evaluator of metadata filters keeps, operator by operator, and proof that a fault would show.

An evaluator is anything that tells which of some rows match a filter: the one in Python (``MetadataFilter.apply``), the
one in SQL (``compile_filter_v1``), and whatever may come. One assertion core for all; the same core must fail on
evaluators that widen, and on the product's own SQL with one place really edited.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from ragspine_pg.contract.condition import OPERATORS
from ragspine_pg.contract.filter import FilterCondition, MetadataFilter
from ragspine_pg.contract.metadata import dump_json, freeze_metadata
from ragspine_pg.statement.catalogue import read
from tests.filtering import oracle
from tests.filtering.sql_evaluator import SqlEvaluator
from tests.fixtures.database import Database

Row = dict[str, Any]
Evaluator = Callable[[Sequence[Row], MetadataFilter], list[Row]]

FIELDS = {"year": "number", "lang": "string", "when": "timestamp", "tags": "string"}

# Each field is missing, null, of another type, a list and an object somewhere; "size" and "labels" are not declared.
ROWS: list[Row] = [
    {"year": 2022, "lang": "de", "when": "2022-01-01", "tags": ["a", "b"], "size": 1, "labels": ["x"], "draft": True},
    {"year": 2023, "lang": "en", "when": "2023-01-01T01:00:00+01:00", "tags": ["b"], "size": 0.1, "draft": False},
    {"year": 2024, "lang": "deu", "when": "2024-05-01", "tags": [], "size": 2**53 + 1, "labels": ["x", "y"]},
    {"year": "2024", "lang": 7, "when": "soon", "tags": ["a", 1], "size": "1", "labels": "x", "draft": "true"},
    {"year": None, "lang": None, "when": None, "tags": None, "size": None, "labels": None, "draft": None},
    {"year": {}, "lang": {}, "when": {}, "tags": {}, "size": {}, "labels": {}, "draft": {}},
    {"year": [2022, 2024], "lang": ["de", "it"], "when": ["2024-05-01"], "tags": "a", "size": [1, 2], "labels": []},
    {"year": 30.5, "lang": "DE", "when": "1999-12-31T23:59:59Z", "tags": ["c", "d"], "size": -1, "labels": ["z"]},
    {"other": 1},
    {},
]

# The fields of each operator, declared and not, with values that match some of the rows above and not others.
_CONDITIONS: dict[str, list[tuple[str, Any]]] = {
    "eq": [("year", 2022), ("lang", "de"), ("when", "2023-01-01"), ("tags", "a"), ("size", 0.1), ("draft", True)],
    "ne": [("year", 2022), ("lang", "de"), ("when", "2022-01-01"), ("tags", "a"), ("size", 1), ("draft", True)],
    "in": [("year", [2022, 1]), ("lang", ["en", "DE"]), ("when", ["2024-05-01"]), ("tags", ["c", "a"]), ("size", [1])],
    "nin": [("year", [2022, 1]), ("lang", ["en", "DE"]), ("when", ["2024-05-01"]), ("tags", ["c"]), ("labels", ["x"])],
    "gt": [("year", 2022), ("lang", "DE"), ("when", "2022-01-01"), ("size", 2**53)],
    "gte": [("year", 2023), ("lang", "de"), ("when", "2023-01-01"), ("size", 0.1)],
    "lt": [("year", 2023), ("lang", "de"), ("when", "2023-01-01"), ("size", 0.1)],
    "lte": [("year", 2022), ("lang", "de"), ("when", "2022-01-01"), ("size", 0.1)],
    "between": [
        ("year", [2023, 2024]),
        ("lang", ["a", "dz"]),
        ("when", ["2022-06-01", "2023-06-01"]),
        ("size", [0, 1]),
    ],
    "exists": [("year", None), ("year", False), ("labels", True), ("draft", False)],
    "is_null": [("year", None), ("year", False), ("labels", True)],
    "contains": [("tags", "b"), ("labels", "x"), ("when", "2024-05-01"), ("year", 2024)],
    "contains_any": [("tags", ["b", "d"]), ("labels", ["y", "z"]), ("when", ["2024-05-01", "2000-01-01"])],
    "contains_all": [("tags", ["b"]), ("tags", ["b", "a"]), ("labels", ["y", "x"]), ("year", [2022, 2024])],
    "prefix": [("lang", "de"), ("labels", "x"), ("size", "1")],
}
assert set(_CONDITIONS) == set(OPERATORS)
_NEVER_UNKNOWN = ("exists", "is_null")

# For a group the whole filter stands here; "nested" has an OR inside a NOT inside an AND.
_GROUPS: dict[str, list[MetadataFilter]] = {
    "all_of": [MetadataFilter.all_of(FilterCondition("year", "gte", 2000), FilterCondition("lang", "prefix", "de"))],
    "any_of": [
        MetadataFilter.any_of(FilterCondition("year", "eq", 2022), FilterCondition("size", "lt", 0)),
        MetadataFilter.any_of(FilterCondition("year", "eq", 2023), FilterCondition("lang", "eq", "de")),
    ],
    "none_of": [MetadataFilter.none_of(FilterCondition("year", "eq", 2022), FilterCondition("tags", "eq", "c"))],
    "nested": [
        MetadataFilter.all_of(
            FilterCondition("year", "exists"),
            MetadataFilter.none_of(
                MetadataFilter.any_of(FilterCondition("lang", "eq", "en"), FilterCondition("size", "gt", 5))
            ),
        )
    ],
}

FILTERS: dict[str, list[MetadataFilter]] = {
    op: [MetadataFilter.where(field, op, value) for field, value in given] for op, given in _CONDITIONS.items()
} | _GROUPS


def assert_keeps_the_rules(evaluate: Evaluator, name: str) -> None:
    """The assertion core: narrowing, order, determinism, and agreement with the oracle, for one operator or group."""
    texts = [dump_json(freeze_metadata(row)) for row in ROWS]
    saw_unknown = False
    for made in FILTERS[name]:
        kept = evaluate(ROWS, made)
        # It saw something: a filter that keeps all or nothing proves nothing.
        assert 0 < len(kept) < len(ROWS), made
        positions = [next((at for at, row in enumerate(ROWS) if row is each), -1) for each in kept]
        assert positions == sorted(set(positions)), "not a subsequence of the same objects"
        truths = [oracle.truth(made.to_json(), text, FIELDS) for text in texts]
        saw_unknown = saw_unknown or None in truths
        assert positions == [at for at, truth in enumerate(truths) if truth is True], made

        assert evaluate(ROWS, made) == kept, "a second run differs"
        assert evaluate(ROWS[::-1], made) == kept[::-1], "what matches depends on its neighbours"
        refused = evaluate(ROWS, MetadataFilter.none_of(made))
        assert [row for row in ROWS if any(row is each for each in refused)] == [
            row for row, truth in zip(ROWS, truths, strict=True) if truth is False
        ], "unknown matched under none_of"
        for other in FILTERS["gte"] + FILTERS["nin"]:
            both = evaluate(ROWS, MetadataFilter.all_of(made, other))
            assert all(any(row is each for each in kept) for row in both), "another condition widened"
            assert both == [row for row in kept if any(row is each for each in evaluate(ROWS, other))]
        assert evaluate(ROWS, MetadataFilter.all_of(made, MetadataFilter.any_of())) == []
        assert evaluate([], made) == []
    assert saw_unknown or name in _NEVER_UNKNOWN


def in_python(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    return made.apply(rows, fields=FIELDS)


class InSql:
    """Matches in a database; rows are stored anew only when they change."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._evaluator = SqlEvaluator(connection, FIELDS)
        self._stored: list[Row] | None = None

    def __call__(self, rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
        if self._stored != list(rows):
            self._evaluator.store(rows)
            self._stored = list(rows)
        return [rows[position] for position in self._evaluator.matching(made)]


@pytest.mark.parametrize("name", FILTERS)
def test_evaluator_in_python_keeps_the_rules(name: str):
    assert_keeps_the_rules(in_python, name)


@pytest.mark.parametrize("name", FILTERS)
def test_compiler_in_sql_keeps_the_rules(owner_transaction: psycopg.Connection[Any], name: str):
    assert_keeps_the_rules(InSql(owner_transaction), name)


# Evaluators that widen, each in a way that real systems did.
def _falls_back_to_everything(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    return in_python(rows, made) or list(rows)


def _lets_unknown_pass(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    test = made.bind(FIELDS)
    return [row for row in rows if test(row) is not False]


def _ignores_the_last_condition(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    return in_python(rows, MetadataFilter(made.parts[:-1], join=made.join))


def _reorders(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    return in_python(rows, made)[::-1]


def _copies(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    return [dict(row) for row in in_python(rows, made)]


def _finds_nothing(rows: Sequence[Row], made: MetadataFilter) -> list[Row]:
    return []


_STUBS: list[Evaluator] = [_falls_back_to_everything, _lets_unknown_pass, _ignores_the_last_condition, _reorders]
_STUBS += [_copies, _finds_nothing]
# exists and is_null are never unknown.
_WIDENED = [
    (stub, name) for stub in _STUBS for name in FILTERS if stub is not _lets_unknown_pass or name not in _NEVER_UNKNOWN
]


@pytest.mark.parametrize(("stub", "name"), _WIDENED)
def test_widening_evaluator_fails_has_teeth(stub: Evaluator, name: str):
    with pytest.raises(AssertionError):
        assert_keeps_the_rules(stub, name)


@dataclass(frozen=True)
class Fault:
    """An edit of one SQL file, and the operators whose rules it breaks."""

    file: str
    sound: str
    faulty: str
    breaks: tuple[str, ...]


FAULTS = {
    "ne and nin match what is missing": Fault(
        "compile_condition_v1",
        "RETURN ragspine.compile_membership_v1('eq', NOT wanted, path, kind, size);",
        "RETURN '(' || ragspine.compile_membership_v1('eq', wanted, path, kind, size) || ') IS NOT TRUE';",
        ("ne",),
    ),
    "a non-match among other types counts as false": Fault(
        "compile_membership_v1",
        "NOT (%s) AND CASE %s WHEN %L THEN true WHEN ''array'' THEN %s END",
        "NOT (%s) AND coalesce(%s <> %L OR %s, true)",
        ("ne", "nin", "none_of"),
    ),
    "none_of is read as any_of": Fault(
        "compile_node_v1",
        "conjunction := (join_key = 'any_of') <> wanted;",
        "conjunction := false;",
        ("all_of", "none_of"),
    ),
    "none_of forgets to negate": Fault(
        "compile_node_v1", "wanted = (join_key <> 'none_of')", "wanted", ("none_of", "nested")
    ),
    "numbers are compared as floats": Fault(
        "compile_ordering_v1",
        "ELSE format('(d.metadata -> (%s))', field)",
        "ELSE format('to_jsonb((d.metadata ->> (%s))::float8)', field)",
        ("gt",),
    ),
    "a bound is left out": Fault("compile_ordering_v1", "found || ' >= ' || low", "found || ' > ' || low", ("gte",)),
    "timestamps are compared as text": Fault(
        "compile_ordering_v1", "'ragspine.read_instant_v1(d.metadata ->> (%s))'", "'now()'", ("gt", "lt", "between")
    ),
    "the index of declared fields loses rows": Fault(
        "compile_narrowing_v1", "WHEN 'eq true' THEN 'f.key = '", "WHEN 'eq true' THEN 'f.key < '", ("eq", "any_of")
    ),
    "keys of numbers are not in the order of numbers": Fault(
        "number_key_v1", "RETURN 'p' || exponent || digits", "RETURN 'p' || digits", ("lt", "lte")
    ),
    "a list of keys keeps one": Fault(
        "field_keys_v1", "IS NOT NULL);", "IS NOT NULL ORDER BY 1 DESC LIMIT 1);", ("eq", "in")
    ),
}
_CASES = [(fault, name) for fault, made in FAULTS.items() for name in made.breaks]


@pytest.mark.parametrize(("fault", "name"), _CASES)
def test_edited_sql_fails_has_teeth(database: Database, fault: str, name: str):
    with _planted(database, FAULTS[fault]) as connection, pytest.raises(AssertionError):
        assert_keeps_the_rules(InSql(connection), name)


@contextmanager
def _planted(database: Database, fault: Fault) -> Iterator[psycopg.Connection[Any]]:
    """The owner in a transaction of a cloned database in which one function is really another; then rolled back."""
    sound = read("functions", fault.file)
    assert sound.count(fault.sound) >= 1, "the fault has no place in the file any more"
    with psycopg.connect(database.owner_url) as connection:
        edited = sound.replace(fault.sound, fault.faulty).replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
        connection.execute(edited.encode())
        yield connection
        connection.rollback()
