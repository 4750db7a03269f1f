"""A database on a benchmark's own server, for the scripts of the folders here."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from ragspine_pg import RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.provision import make_database, make_vector
from ragspine_pg.schema.migrate import migrate


@contextmanager
def database(server: EmbeddedServer, name: str) -> Iterator[RagSpine]:
    """A facade of one connection a login on a database of that name, made for it."""
    with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        make_database(connection, name)
    with psycopg.connect(server.url("superuser", name), autocommit=True) as connection:
        make_vector(connection)
    key = migrate(server.url("owner", name), grant_key=server.grant_key).grant_key
    if key is not None:
        server.store_grant_key(key)
    with RagSpine.open(
        server.url("reader", name),
        ingest=server.url("ingest", name),
        owner=server.url("owner", name),
        grant_key=server.grant_key,
        config=ServiceConfig(pool_size=1),
    ) as spine:
        yield spine
