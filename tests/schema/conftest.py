"""Empty databases for migrations."""

import secrets
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg import sql

from ragspine_pg.connect.embedded import EmbeddedServer
from tests.fixtures.database import empty_database


@pytest.fixture
def make_empty(server: EmbeddedServer) -> Iterator[Callable[..., str]]:
    """Makes databases with pgvector (in ``vector_schema``) and nothing else; gives the URL of the owner."""
    made: list[str] = []

    def make(vector_schema: str = "public") -> str:
        made.append(f"empty_{secrets.token_hex(6)}")
        return empty_database(server, made[-1], vector_schema=vector_schema)

    yield make
    with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        for name in made:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def empty_url(make_empty: Callable[..., str]) -> str:
    """The owner's URL of one of them."""
    return make_empty()
