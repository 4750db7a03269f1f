"""``connect.target``, awaited: what a caller names as its database becomes a source of transactions."""

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from ragspine_pg.connect.async_lent import AsyncLentSource
from ragspine_pg.connect.async_pooled import AsyncPoolSource, AsyncUrlSource
from ragspine_pg.connect.async_source import AsyncConnectionSource
from ragspine_pg.connect.target import check_limits, is_blocking, no_target
from ragspine_pg.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_scoped_session

AsyncTarget: TypeAlias = (
    "str | psycopg.AsyncConnection[Any] | AsyncConnectionPool[Any] | AsyncEngine | AsyncConnection | AsyncSession"
    " | async_scoped_session[Any]"
)


def open_async_source(
    target: AsyncTarget, *, max_connections: int = 10, wait_seconds: float = 30.0
) -> AsyncConnectionSource:
    """The source behind ``target``; nothing is connected before the first transaction.

    A string (as for ``open_source``) gets a pool of ours of at most ``max_connections``, of which one is waited for at
    most ``wait_seconds``. A psycopg AsyncConnection or AsyncConnectionPool, and SQLAlchemy's AsyncEngine,
    AsyncConnection or AsyncSession, are used as they are and never closed.

    Raises ``ConfigurationError`` for anything else: for another driver than psycopg 3, and for the blocking kinds of
    the same things, which would hold up the event loop.
    """
    check_limits(max_connections, wait_seconds)
    if isinstance(target, str):
        return AsyncUrlSource(target, max_connections=max_connections, wait_seconds=wait_seconds)
    if isinstance(target, psycopg.AsyncConnection):
        return AsyncLentSource(target)
    if isinstance(target, AsyncConnectionPool):
        return AsyncPoolSource(target)
    if "sqlalchemy.ext.asyncio" in sys.modules:  # imported by whoever hands in an object of its
        from ragspine_pg.connect.async_alchemy import source_of

        if (source := source_of(target)) is not None:
            return source
    if isinstance(target, psycopg.Connection | ConnectionPool) or is_blocking(target):
        raise ConfigurationError(
            f"a blocking {type(target).__qualname__} would hold up the event loop: give a postgresql:// URL, a psycopg "
            "AsyncConnection or AsyncConnectionPool, or a SQLAlchemy AsyncEngine, AsyncConnection or AsyncSession; or "
            "use RagSpine, which blocks"
        )
    raise no_target(
        target,
        "a psycopg AsyncConnection or AsyncConnectionPool, or an AsyncEngine, AsyncConnection or AsyncSession",
    )
