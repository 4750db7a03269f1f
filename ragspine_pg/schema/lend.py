"""Whatever may be migrated, as a SQLAlchemy connection in a transaction. What was handed in is never closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg.rows import tuple_row
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, make_url
from sqlalchemy.exc import OperationalError as SQLAlchemyOperationalError
from sqlalchemy.orm import Session

from ragspine_pg.errors import ConfigurationError, UnavailableError

Target: TypeAlias = str | URL | Engine | Connection | Session | psycopg.Connection[Any]
"""A libpq conninfo or SQLAlchemy URL, an engine, or a connection or session of SQLAlchemy or psycopg."""


@contextmanager
def lend(target: Target) -> Iterator[Connection]:
    """A connection in a transaction.

    A transaction that is open already stays the caller's to commit. Any other is begun here, committed at the end and
    rolled back on an error.

    :raises ConfigurationError: ``target`` is none of the kinds above.
    :raises UnavailableError: the database cannot be reached.
    """
    match target:
        case str() if not target.startswith("postgresql+"):
            try:
                opened = psycopg.connect(target)
            except psycopg.OperationalError as error:
                raise _unreachable(error) from None
            except psycopg.ProgrammingError:
                raise ConfigurationError("the database URL is not one that libpq understands") from None
            with opened, _psycopg(opened) as connection:
                yield connection
        case str() | URL():
            engine = create_engine(make_url(target), poolclass=NullPool)
            with lend(engine) as connection:
                yield connection
        case Engine():
            with _connected(target) as opened_here, _begun(opened_here) as connection:
                yield connection
        case Connection():
            with _begun(target) as connection:
                yield connection
        case Session():
            with _begun(target.connection()) as connection:
                yield connection
        case psycopg.Connection():
            with _psycopg(target) as connection:
                yield connection
        case _:
            raise ConfigurationError(
                f"cannot migrate a {type(target).__name__}: give a URL, an Engine, or a Connection or Session (blocking"
                " ones: Alembic cannot await)"
            )


def _connected(engine: Engine) -> Connection:
    try:
        return engine.connect()
    except SQLAlchemyOperationalError as error:
        raise _unreachable(error.orig or error) from None


def _unreachable(error: BaseException) -> UnavailableError:
    # libpq names host, database and login, never the password; a login that is refused has no SQLSTATE here.
    reason = " ".join(str(error).split())[:500]
    return UnavailableError(
        f"the database to migrate cannot be reached: {reason}", sqlstate=getattr(error, "sqlstate", None)
    )


@contextmanager
def _begun(connection: Connection) -> Iterator[Connection]:
    if connection.in_transaction():
        yield connection
    elif getattr(connection.connection.dbapi_connection, "autocommit", False):
        # A half-made schema is worth nothing.
        raise ConfigurationError("cannot migrate on an AUTOCOMMIT connection: give one that has transactions")
    else:
        with connection.begin():
            yield connection


class _Lent:
    """A psycopg connection whose transaction is not SQLAlchemy's to end."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        return self._connection.cursor(*args, **{**kwargs, "row_factory": tuple_row})

    def commit(self) -> None:
        """Left to the lender."""

    rollback = close = commit


@contextmanager
def _psycopg(connection: psycopg.Connection[Any]) -> Iterator[Connection]:
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: _Lent(connection),
        poolclass=NullPool,
        use_native_hstore=False,
    )
    with connection.transaction(), engine.connect() as wrapped, wrapped.begin():
        yield wrapped
