"""The blocking driver: performs a flow's steps on one psycopg connection."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import psycopg
from psycopg.rows import tuple_row

from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow.cursor import EXECUTE, Rows, copying, reading, returns_rows
from ragspine_pg.flow.steps import Batch, Copy, Fetch, Flow, Hold, Release, Step, Work
from ragspine_pg.flow.translate import translate

T = TypeVar("T")


class Lease(Protocol):
    """A connection that is taken when a statement needs it, and can be given back in between."""

    @property
    def may_commit(self) -> bool:
        """Whether the transaction is ours alone, so that it can be committed along with its last statements."""
        ...

    @property
    def begin(self) -> str | None:
        """What begins the transaction, to be sent along with its first statements; None where it has begun.

        The driver may leave the connection in autocommit; the lease puts its settings back.
        """
        ...

    def connection(self) -> psycopg.Connection[Any]:
        """The connection, taken now unless it is held already."""
        ...

    def release(self) -> None:
        """Commit and give it back, where it is not lent."""
        ...


def run(flow: Flow[T], lease: "Lease | psycopg.Connection[Any]") -> T:
    """Drive ``flow`` to its end and return its value; the transaction is the caller's.

    An error of the driver is translated and thrown into the flow, one of ours as it is; whatever happens, the flow is
    closed.
    """
    held = _Lent(lease) if isinstance(lease, psycopg.Connection) else lease
    try:
        step = next(flow)
        while True:
            try:
                reply = _perform(step, held)
            except psycopg.Error as error:
                step = flow.throw(translate(error))
            except RagSpineError as error:
                step = flow.throw(error)
            else:
                step = flow.send(reply)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()


class _Lent:
    """A connection inside somebody else's transaction: there is nothing to give back."""

    may_commit = False
    begin = None

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def connection(self) -> psycopg.Connection[Any]:
        return self._connection

    def release(self) -> None:
        pass


def _perform(step: Step, lease: Lease) -> Any:
    match step:
        case Work(run=work):
            return work()
        case Release():
            lease.release()
            return None
        case Hold():
            lease.connection()
            return None
        case Fetch():
            return _fetch(step, lease.connection())
        case Batch(fetches=fetches, last=last):
            connection = lease.connection()
            return _send(fetches, connection, begin=lease.begin, commit=last and lease.may_commit)
        case Copy():
            return _copy(step, lease.connection())


def _cursor(connection: psycopg.Connection[Any]) -> psycopg.Cursor[tuple[Any, ...]]:
    """A cursor of our own kind: the connection may be lent, with another row factory or cursor class."""
    return reading(psycopg.Cursor(connection, row_factory=tuple_row))


def _rows(cursor: psycopg.Cursor[tuple[Any, ...]]) -> Rows:
    return cursor.fetchall() if returns_rows(cursor) else []


def _fetch(step: Fetch, connection: psycopg.Connection[Any]) -> Rows:
    with _cursor(connection) as cursor:
        cursor.execute(step.text, step.params, **EXECUTE)
        return _rows(cursor)


def _send(
    fetches: Sequence[Fetch], connection: psycopg.Connection[Any], *, begin: str | None, commit: bool
) -> list[Rows]:
    cursors = [_cursor(connection) for _ in fetches]
    if begin is not None:
        connection.autocommit = True  # psycopg's own BEGIN, in a pipeline, would wait for its reply
    with _piped(connection):  # left by one synchronisation, which is the round trip
        if begin is not None:
            psycopg.Cursor(connection).execute(begin.encode(), prepare=False)
        for step, cursor in zip(fetches, cursors, strict=True):
            cursor.execute(step.text, step.params, **EXECUTE)
        if commit:
            psycopg.Cursor(connection).execute("COMMIT", prepare=False)
    return [_rows(cursor) for cursor in cursors]


@contextmanager
def _piped(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """A pipeline that raises the first error of its statements, whenever that arrives.

    psycopg logs a second error, such as every statement after the failing one has, if its block is left by the first.
    """
    failure: BaseException | None = None
    try:
        with connection.pipeline():
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - raised below
                failure = error
    except psycopg.Error as error:
        failure = failure or error
    if failure is not None:
        raise failure


def _copy(step: Copy, connection: psycopg.Connection[Any]) -> int:
    with _cursor(connection) as cursor, copying(cursor).copy(step.text) as stream:
        stream.set_types(step.types)
        count = 0
        for row in step.rows:
            stream.write_row(row)
            count += 1
    return count
