"""The owner's connection, from whatever was handed in, which is never closed: in a transaction, or outside any."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, make_url
from sqlalchemy.exc import OperationalError as SQLAlchemyOperationalError
from sqlalchemy.orm import Session

from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.translate import unreachable

Target: TypeAlias = str | URL | Engine | Connection | Session | psycopg.Connection[Any]
"""A libpq conninfo or SQLAlchemy URL, an engine, or a connection or session of SQLAlchemy or psycopg."""

_OWNERS = "the owner's database"


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
            with _opened(target, autocommit=False) as opened, _psycopg(opened) as connection:
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


@contextmanager
def lend_outside(owner: Any) -> Iterator[psycopg.Connection[Any]]:
    """A connection outside any transaction, for what PostgreSQL runs in none.

    ``owner`` is a URL, an Engine, a psycopg pool, or an idle psycopg connection.

    :raises ConfigurationError: ``owner`` is none of these; ``why_not_outside`` tells beforehand.
    :raises UnavailableError: the database cannot be reached, or no connection became free.
    """
    if (reason := why_not_outside(owner)) is not None:
        raise ConfigurationError(reason, argument="owner")
    match owner:
        case str() if not owner.startswith("postgresql+"):
            with _opened(owner, autocommit=True) as connection:
                yield connection
        case str() | URL():
            with lend_outside(create_engine(make_url(owner), poolclass=NullPool)) as connection:
                yield connection
        case Engine():
            with _connected(owner).execution_options(isolation_level="AUTOCOMMIT") as wrapped:
                driver = wrapped.connection.driver_connection
                if not isinstance(driver, psycopg.Connection):
                    raise ConfigurationError("the owner's engine is not one of psycopg 3", argument="owner")
                yield driver
        case ConnectionPool():
            try:
                lent = owner.getconn()
            except (PoolClosed, PoolTimeout, TooManyRequests) as error:
                raise unreachable(error, _OWNERS) from None
            try:
                with _autocommit(lent):
                    yield lent
            finally:
                owner.putconn(lent)
        case _:
            with _autocommit(owner):
                yield owner


def why_not_outside(owner: Any) -> str | None:
    """What is wrong with ``owner`` for ``lend_outside``, and what to give instead; None where nothing is."""
    match owner:
        case str() | URL() | Engine() | ConnectionPool():
            return None
        case psycopg.Connection() if owner.info.transaction_status is TransactionStatus.IDLE:
            return None
        case psycopg.Connection():
            what = "a connection that is inside a transaction, busy or closed"
        case _:
            what = f"a {type(owner).__name__}"
    return (
        f"a vector index is built outside any transaction, and the owner is {what}: give it (owner=…) as a URL, a"
        " blocking Engine or psycopg pool, or an idle psycopg connection"
    )


@contextmanager
def _autocommit(connection: psycopg.Connection[Any]) -> Iterator[None]:
    before, connection.autocommit = connection.autocommit, True
    try:
        yield
    finally:
        if connection.info.transaction_status is TransactionStatus.IDLE:  # else it is broken
            connection.autocommit = before


def _opened(url: str, *, autocommit: bool) -> psycopg.Connection[Any]:
    try:
        return psycopg.connect(url, autocommit=autocommit)
    except psycopg.OperationalError as error:
        raise unreachable(error, _OWNERS) from None
    except psycopg.ProgrammingError:
        raise ConfigurationError("the database URL is not one that libpq understands") from None


def _connected(engine: Engine) -> Connection:
    try:
        return engine.connect()
    except SQLAlchemyOperationalError as error:
        raise unreachable(error.orig or error, _OWNERS) from None


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
