"""One transaction on one connection, in which the reader's and the writer's login take turns; nothing of it stays.

The connection is a superuser's, lent to both clients. Each call runs as the login that it runs as in production
(``SET LOCAL SESSION AUTHORIZATION``), so that rights, policies and ``require_backstop_v1`` are the real ones.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from ragspine_pg.client.ingestor import Ingestor
from ragspine_pg.client.retriever import Retriever
from ragspine_pg.config import ServiceConfig
from tests.access import world
from tests.fixtures.database import Database


class Stage:
    """A connection in a transaction, and both clients on it."""

    def __init__(self, connection: psycopg.Connection[Any], database: Database, index_ddl: bool) -> None:
        config = ServiceConfig()
        self._connection = connection
        self._retriever = Retriever.open(
            connection, config=config, grant_key=database.grant_key, embedding_models=[world.MODEL]
        )
        self._ingestor = Ingestor.open(connection, config=config, embedding_models=[world.MODEL])
        self._logins = {
            "reader": conninfo_to_dict(database.reader_url)["user"],
            "ingest": conninfo_to_dict(database.ingest_url)["user"],
        }
        self._indexes = index_ddl
        self.notices: list[str | None] = []
        connection.add_notice_handler(lambda notice: self.notices.append(notice.message_primary))

    @property
    def reader(self) -> Retriever:
        """The read authority; the transaction goes on as its login."""
        self.act_as("reader")
        return self._retriever

    @property
    def writer(self) -> Ingestor:
        """The write authority; the transaction goes on as its login."""
        self.act_as("ingest")
        return self._ingestor

    def rows(self, statement: str, parameters: Mapping[str, Any], login: str = "reader") -> list[tuple[Any, ...]]:
        """What a login gets for ``statement``."""
        self.act_as(login)
        with self._connection.transaction():
            return self._connection.execute(statement, parameters).fetchall()  # type: ignore[call-overload,no-any-return]

    def administer(self, statement: str, parameters: Mapping[str, Any] | None = None) -> psycopg.Cursor[Any]:
        """``statement``, as who may do everything."""
        self.act_as("superuser")
        return self._connection.execute(statement, parameters)  # type: ignore[call-overload,no-any-return]

    def build_index(self) -> None:
        """The HNSW index of each published version that is to have one, where this stage builds any at all.

        Not CONCURRENTLY, as the product does, since that takes more than one transaction.
        """
        if not self._indexes:
            return
        versions = self.administer(
            "SELECT ragspine.vector_index_ddl_v1(tenant_no, version_no) FROM ragspine.index_version"
            " WHERE state = 'published'"
        ).fetchall()
        for (ddl,) in versions:
            if ddl is not None:
                self.administer(ddl.replace(" CONCURRENTLY", ""))

    @contextmanager
    def undone(self) -> Iterator[None]:
        """What is done meanwhile is undone at the end."""
        with self._connection.transaction(force_rollback=True):
            yield

    def act_as(self, login: str) -> None:
        """The transaction goes on as that login: "reader", "ingest", or "superuser"."""
        name = self._logins.get(login)
        self._connection.execute(
            "RESET SESSION AUTHORIZATION"
            if name is None
            else sql.SQL("SET LOCAL SESSION AUTHORIZATION {}").format(sql.Identifier(str(name)))
        )


@contextmanager
def raised(database: Database, *, index_ddl: bool = False) -> Iterator[Stage]:
    """A stage in ``database``. ``index_ddl``: whether ``build_index`` builds."""
    with psycopg.connect(database.superuser_url) as connection:
        yield Stage(connection, database, index_ddl)
        connection.rollback()
