"""The blocking driver: performs a flow's steps on one psycopg connection."""

from typing import Any, TypeVar

import psycopg
from psycopg.rows import tuple_row
from psycopg.types.json import set_json_dumps, set_json_loads

from ragspine_pg.contract.metadata import load_json
from ragspine_pg.flow.steps import Copy, Fetch, Flow, Step
from ragspine_pg.flow.translate import translate

T = TypeVar("T")


def run(flow: Flow[T], connection: psycopg.Connection[Any]) -> T:
    """Drive ``flow`` to its end and return its value; the transaction is the caller's.

    A driver error is translated and thrown into the flow; whatever happens, the flow is closed.
    """
    try:
        step = next(flow)
        while True:
            try:
                reply = _perform(step, connection)
            except psycopg.Error as error:
                step = flow.throw(translate(error))
            else:
                step = flow.send(reply)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()


def _perform(step: Step, connection: psycopg.Connection[Any]) -> Any:
    # A cursor of our own kind: the connection may be lent, with another row factory or cursor class.
    with psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
        set_json_loads(load_json, cursor)  # numbers keep their exact value; the connection's own adapters stay
        match step:
            case Fetch(text=text, params=params):
                # Binary, so that floats keep all their digits whatever the session's extra_float_digits is.
                cursor.execute(text, params, prepare=False, binary=True)
                return cursor.fetchall() if cursor.description is not None else []
            case Copy(text=text, types=types, rows=rows):
                set_json_dumps(str, cursor)  # what goes into a jsonb column is JSON text already
                with cursor.copy(text) as stream:
                    stream.set_types(types)
                    count = 0
                    for row in rows:
                        stream.write_row(row)
                        count += 1
                return count
