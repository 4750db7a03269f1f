"""How both drivers set up a cursor and read its reply."""

from typing import Any, Final, TypeAlias, TypeVar

import psycopg
from psycopg.types.json import set_json_dumps, set_json_loads

from ragspine_pg.contract.metadata import load_json

AnyCursor: TypeAlias = "psycopg.Cursor[tuple[Any, ...]] | psycopg.AsyncCursor[tuple[Any, ...]]"
C = TypeVar("C", bound=AnyCursor)
Rows: TypeAlias = list[tuple[Any, ...]]

EXECUTE: Final[dict[str, bool]] = {"prepare": False, "binary": True}
"""How every statement is run: unprepared, so that a PgBouncer can stand between; binary, so that floats keep all their
digits whatever the session's extra_float_digits is."""


def reading(cursor: C) -> C:
    """``cursor`` with our JSON reader: numbers keep their exact value; the connection's own adapters stay."""
    set_json_loads(load_json, cursor)
    return cursor


def copying(cursor: C) -> C:
    """``cursor`` for a COPY: what goes into a jsonb column is JSON text already."""
    set_json_dumps(str, cursor)
    return cursor


def returns_rows(cursor: AnyCursor) -> bool:
    """Whether the statement was one that gives rows; ``description`` would say it too, and describe each column."""
    return cursor.pgresult is not None and cursor.pgresult.nfields > 0
