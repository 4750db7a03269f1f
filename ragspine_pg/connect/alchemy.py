"""Sources around SQLAlchemy's Engine, Connection and Session: each is opened down to its psycopg connection."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session, scoped_session

from ragspine_pg.connect.conninfo import DRIVER_URL
from ragspine_pg.connect.lent import KEPT
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.transaction import joined, translated
from ragspine_pg.connect.turn import turn
from ragspine_pg.errors import ConfigurationError, UnavailableError


def source_of(target: object) -> ConnectionSource | None:
    """The source around an Engine, a Connection or a Session (also a ``scoped_session``), None for anything else.

    Raises ``ConfigurationError`` if its driver is not psycopg 3.
    """
    if isinstance(target, Engine):
        return EngineSource(target)
    if isinstance(target, Connection):
        return ConnectionLent(target)
    if isinstance(target, Session):
        return SessionLent(target)
    if isinstance(target, scoped_session):
        return SessionLent(target)
    return None


class EngineSource:
    """Transactions on connections of the engine's pool, past the engine's own transactions and events."""

    def __init__(self, engine: Engine) -> None:
        check_driver(engine)
        self._engine = engine

    @contextmanager
    def transaction(self, read_only: bool, wait_seconds: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``."""
        with translated_alchemy():
            proxied = self._engine.raw_connection()
        try:
            connection = _driver_connection(proxied.driver_connection)
            if connection.info.transaction_status is TransactionStatus.INTRANS:
                # A listener of the engine's, run at connect or checkout, left a transaction open around its settings.
                with translated():
                    connection.commit()
            with joined(connection, read_only):
                yield connection
        finally:
            if proxied.driver_connection is not None and proxied.driver_connection.broken:
                proxied.invalidate()
            proxied.close()  # gives it back to the pool

    def close(self) -> None:
        """Nothing: the engine is its owner's."""


class ConnectionLent:
    """Transactions, or savepoints in the transaction it is in, on one lent Connection: one at a time."""

    def __init__(self, connection: Connection) -> None:
        check_driver(connection.engine)
        self._connection = connection
        self._turn = threading.RLock()

    @contextmanager
    def transaction(self, read_only: bool, wait_seconds: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``."""
        with turn(self._turn, wait_seconds, KEPT):
            connection = _opened_down(self._connection)
            with joined(connection, read_only):
                yield connection

    def close(self) -> None:
        """Nothing: the connection is its lender's."""


class SessionLent:
    """Savepoints in a Session's transaction, begun if need be: what is written is committed by the session's owner."""

    def __init__(self, session: "Session | scoped_session[Any]") -> None:
        with translated_alchemy():
            bind = session.get_bind()
        check_driver(bind.engine)
        self._session = session
        self._turn = threading.RLock()

    @contextmanager
    def transaction(self, read_only: bool, wait_seconds: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """See ``ConnectionSource.transaction``."""
        with turn(self._turn, wait_seconds, KEPT):
            with translated_alchemy():
                lent = self._session.connection()
            connection = _opened_down(lent)
            with joined(connection, read_only):
                yield connection

    def close(self) -> None:
        """Nothing: the session is its owner's."""


def check_driver(engine: Engine) -> None:
    """Raise ``ConfigurationError`` for an engine whose driver is not psycopg 3."""
    if engine.dialect.driver != "psycopg":
        raise ConfigurationError(
            f"the SQLAlchemy engine uses {engine.dialect.name}+{engine.dialect.driver}; create it with {DRIVER_URL}"
        )


def _driver_connection(connection: object) -> psycopg.Connection[Any]:
    if not isinstance(connection, psycopg.Connection):
        raise other_driver()
    return connection


def other_driver() -> ConfigurationError:
    """The error for a connection that turns out to be another driver's."""
    return ConfigurationError(f"the SQLAlchemy connection is not one of psycopg 3; create its engine with {DRIVER_URL}")


def _opened_down(lent: Connection) -> psycopg.Connection[Any]:
    with translated_alchemy():
        connection = _driver_connection(lent.connection.driver_connection)
        idle = connection.info.transaction_status is TransactionStatus.IDLE
        if lent.in_transaction() and idle and not connection.autocommit:
            # SQLAlchemy has begun, the server not yet: without a first statement we would commit in the lender's place.
            lent.exec_driver_sql("SELECT 1")
    return connection


@contextmanager
def translated_alchemy() -> Iterator[None]:
    """SQLAlchemy's errors leave as ours, and those of the driver below as theirs."""
    with translated():
        try:
            yield
        except PoolTimeout:
            raise UnavailableError("no connection of the engine's pool became free in time") from None
        except DBAPIError as error:
            if isinstance(error.orig, psycopg.Error):
                raise error.orig from None
            raise UnavailableError(f"SQLAlchemy reports {type(error).__name__}") from None
        except SQLAlchemyError as error:
            raise ConfigurationError(
                f"the SQLAlchemy object handed in cannot be used: {type(error).__name__}"
            ) from None
