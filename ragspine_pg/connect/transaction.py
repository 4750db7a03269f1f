"""A transaction of ours on a connection, whatever state and settings it comes with."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import IsolationLevel
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.rows import tuple_row

from ragspine_pg.errors import ConfigurationError, UnavailableError
from ragspine_pg.flow.translate import translate

SETTINGS = ("extra_float_digits", "jit", "work_mem")
"""What writing sets for its transaction (sql/queries/ingest_begin.sql)."""

BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY NOT DEFERRABLE"
"""What ``_begun`` has psycopg send to read; for who sends it with the first statements (see ``connect.lazy``)."""

READ_SETTINGS = "SELECT name, current_setting(name) FROM unnest(%s::text[]) AS name"
RESTORE_SETTINGS = "SELECT set_config(s.name, s.setting, true) FROM unnest(%s::text[], %s::text[]) AS s(name, setting)"


@contextmanager
def joined(connection: psycopg.Connection[Any], read_only: bool) -> Iterator[None]:
    """A transaction on ``connection`` if it is idle, else a savepoint in the transaction that it is in.

    See ``ConnectionSource.transaction`` for the rules and errors.
    """
    opened = _begun if is_idle(connection) else _saved
    with translated(), opened(connection, read_only):
        yield


def is_idle(connection: "psycopg.Connection[Any] | psycopg.AsyncConnection[Any]") -> bool:
    """Whether it is outside any transaction; false inside one that a savepoint can be set in.

    Raises ``ConfigurationError`` and ``UnavailableError`` where neither can be.
    """
    # A broken connection has no pipeline; one in a pipeline can look idle while statements of its lender wait in it.
    if connection.info.pipeline_status is not PipelineStatus.OFF:
        raise ConfigurationError(
            "the connection handed in is in pipeline mode: make the call after its `with connection.pipeline()` block,"
            " or hand in another connection"
        )
    match connection.info.transaction_status:
        case TransactionStatus.IDLE:
            return True
        case TransactionStatus.INTRANS:
            return False
        case TransactionStatus.INERROR:
            raise ConfigurationError("the connection handed in is inside a failed transaction; roll it back first")
        case TransactionStatus.ACTIVE:
            raise ConfigurationError("the connection handed in is busy with another statement or a COPY")
        case _:
            raise UnavailableError("the connection handed in is closed or broken")


@contextmanager
def translated() -> Iterator[None]:
    """Errors of the driver leave as ours, without the values they quote."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error) from None


@contextmanager
def _begun(connection: psycopg.Connection[Any], read_only: bool) -> Iterator[None]:
    """BEGIN ... COMMIT, with the attributes from which psycopg writes its BEGIN set back afterwards.

    To read, BEGIN goes out before the first statement; whoever drives may have sent it in one round trip with the first
    ones, and COMMIT with the last.
    """
    before = connection.autocommit, connection.isolation_level, connection.read_only, connection.deferrable
    _set(connection, connection.autocommit and not read_only, level_for(read_only), read_only, False)
    try:
        if not read_only:
            with connection.transaction():
                yield
        else:
            try:
                yield
            except BaseException:
                with suppress(psycopg.Error):  # a lost connection must not hide what was raised
                    connection.rollback()
                raise
            connection.commit()
    finally:
        if connection.info.transaction_status is TransactionStatus.IDLE:  # else it is broken
            _set(connection, *before)


def level_for(read_only: bool) -> IsolationLevel:
    """One snapshot to read; to write, each statement sees what was committed before it."""
    return IsolationLevel.REPEATABLE_READ if read_only else IsolationLevel.READ_COMMITTED


@contextmanager
def _saved(connection: psycopg.Connection[Any], read_only: bool) -> Iterator[None]:
    with connection.transaction(force_rollback=read_only), psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
        if read_only:
            # Reverts with the savepoint, as does every setting made after it.
            cursor.execute("SET LOCAL transaction_read_only = on", prepare=False)
            yield
        else:
            before = cursor.execute(READ_SETTINGS, [list(SETTINGS)], prepare=False).fetchall()
            yield
            # What was set for the writing outlives the savepoint: the lender's transaction goes on as it was.
            cursor.execute(RESTORE_SETTINGS, [list(column) for column in zip(*before, strict=True)], prepare=False)


def _set(
    connection: psycopg.Connection[Any],
    autocommit: bool,
    level: IsolationLevel | None,
    read_only: bool | None,
    deferrable: bool | None,
) -> None:
    if connection.autocommit != autocommit:
        connection.autocommit = autocommit
    connection.isolation_level = level
    connection.read_only = read_only
    connection.deferrable = deferrable
