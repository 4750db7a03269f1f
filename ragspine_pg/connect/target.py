"""The door of this room: what a caller names as its database becomes a source of transactions."""

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from ragspine_pg.connect.lent import LentSource
from ragspine_pg.connect.pooled import PoolSource, UrlSource
from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.orm import Session, scoped_session

Target: TypeAlias = (
    "str | psycopg.Connection[Any] | ConnectionPool[Any] | Engine | Connection | Session | scoped_session[Any]"
)


def open_source(target: Target, *, max_connections: int = 10, wait_seconds: float = 30.0) -> ConnectionSource:
    """The source behind ``target``; nothing is connected before the first transaction.

    A string (``postgresql://``, ``postgres://``, ``postgresql+psycopg://``, or libpq's ``host=... dbname=...``) gets a
    pool of ours of at most ``max_connections``, of which one is waited for at most ``wait_seconds``. A psycopg
    Connection or ConnectionPool, and SQLAlchemy's Engine, Connection or Session, are used as they are and never closed.

    Raises ``ConfigurationError`` for anything else, and for another driver than psycopg 3.
    """
    check_limits(max_connections, wait_seconds)
    if isinstance(target, str):
        return UrlSource(target, max_connections=max_connections, wait_seconds=wait_seconds)
    if isinstance(target, psycopg.Connection):
        return LentSource(target)
    if isinstance(target, ConnectionPool):
        return PoolSource(target)
    if "sqlalchemy" in sys.modules:  # whoever hands in an object of SQLAlchemy's has imported it; others need not pay
        from ragspine_pg.connect.alchemy import source_of

        if (source := source_of(target)) is not None:
            return source
    if isinstance(target, psycopg.AsyncConnection | AsyncConnectionPool) or _is_awaited(target):
        raise ConfigurationError(
            f"an asynchronous {type(target).__qualname__} cannot serve the blocking interface: use AsyncRagSpine"
        )
    raise no_target(target, "a psycopg connection or pool, or a SQLAlchemy Engine, Connection or Session")


def check_limits(max_connections: int, wait_seconds: float) -> None:
    """Raise ``ConfigurationError`` for limits of a pool that let nobody in."""
    if max_connections < 1:
        raise ConfigurationError("max_connections is at least 1")
    if not wait_seconds > 0:
        raise ConfigurationError("wait_seconds is a positive number of seconds")


def no_target(target: object, wanted: str) -> ConfigurationError:
    """The error for what is no database target at all."""
    return ConfigurationError(
        f"a {type(target).__module__}.{type(target).__qualname__} is no database target: give a postgresql:// URL, "
        f"{wanted}"
    )


def is_blocking(target: object) -> bool:
    """Whether it is one of SQLAlchemy's that block."""
    if "sqlalchemy" not in sys.modules:
        return False
    from sqlalchemy import Connection, Engine
    from sqlalchemy.orm import Session, scoped_session

    return isinstance(target, Engine | Connection | Session | scoped_session)


def _is_awaited(target: object) -> bool:
    if "sqlalchemy.ext.asyncio" not in sys.modules:
        return False
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_scoped_session

    return isinstance(target, AsyncEngine | AsyncConnection | AsyncSession | async_scoped_session)
