"""Those that search in PostgreSQL as well: pg_textsearch, pg_search, and ts_rank_cd over a GIN index."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.lexical.contest.server import EXTENSIONS, scratch_database
from benchmarks.lexical.contest.turns import Contestant, Stopwatch
from ragspine_pg.connect.embedded import EmbeddedServer


@dataclass(frozen=True)
class Peer:
    """A contestant in a database of its own, and the bytes of its index."""

    contestant: Contestant
    index_bytes: int


@contextmanager
def pg_textsearch(server: EmbeddedServer, texts: Sequence[str], watch: Stopwatch) -> Iterator[Peer]:
    """BM25 in C, by an access method of its own."""
    with scratch_database(server, "peer_textsearch") as connection:
        _extend(connection, "pg_textsearch")
        _copy(connection, texts, watch, "pg_textsearch")
        with watch.part("pg_textsearch: index"):
            connection.execute(
                "CREATE INDEX peer_index ON peer USING bm25 (txt) WITH (text_config = 'english', k1 = 1.2, b = 0.75)"
            )
        statement = "SELECT id FROM peer ORDER BY txt <@> to_bm25query(%s, 'peer_index') LIMIT %s"
        yield Peer(
            Contestant(
                "pg_textsearch",
                f"{EXTENSIONS['pg_textsearch']}, C: ids; no rights",
                lambda query, k: len(connection.execute(statement, [query, k], prepare=True).fetchall()),
            ),
            _finish(connection),
        )


@contextmanager
def pg_search(server: EmbeddedServer, texts: Sequence[str], watch: Stopwatch) -> Iterator[Peer]:
    """BM25 in Rust, on Tantivy."""
    with scratch_database(server, "peer_search") as connection:
        _extend(connection, "pg_search")
        _copy(connection, texts, watch, "pg_search")
        with watch.part("pg_search: index"):
            connection.execute(
                """
                CREATE INDEX peer_index ON peer USING bm25 (id, txt) WITH (key_field = 'id', text_fields =
                  '{"txt": {"tokenizer": {"type": "default", "stemmer": "English", "stopwords_language": "English"}}}')
                """
            )
        statement = """
            SELECT id, paradedb.score(id) AS score FROM peer WHERE id @@@ paradedb.match('txt', %s)
             ORDER BY score DESC LIMIT %s
        """
        yield Peer(
            Contestant(
                "pg_search",
                f"{EXTENSIONS['pg_search']}, Rust: ids and scores; no rights; each call planned, as its planner wants",
                lambda query, k: len(connection.execute(statement, [query, k], prepare=False).fetchall()),
            ),
            _finish(connection),
        )


@contextmanager
def ts_rank_cd(server: EmbeddedServer, texts: Sequence[str], watch: Stopwatch) -> Iterator[Peer]:
    """The usual recipe: a tsvector, a GIN index, the words OR-ed."""
    with scratch_database(server, "peer_rank") as connection:
        connection.execute(
            "CREATE TABLE peer (id integer PRIMARY KEY, txt text,"
            " tsv tsvector GENERATED ALWAYS AS (to_tsvector('english', txt)) STORED)"
        )
        _fill(connection, texts, watch, "COPY and to_tsvector")
        with watch.part("ts_rank_cd: GIN"):
            connection.execute("CREATE INDEX peer_index ON peer USING gin (tsv)")
        statement = """
            SELECT p.id, ts_rank_cd(p.tsv, q.tsq) AS score
              FROM peer AS p,
                   (SELECT replace(plainto_tsquery('english', %s)::text, '&', '|')::tsquery AS tsq) AS q
             WHERE p.tsv @@ q.tsq
             ORDER BY score DESC
             LIMIT %s
        """
        yield Peer(
            Contestant(
                "ts_rank_cd",
                "GIN, the query's words OR-ed: ids and scores; no rights, no BM25",
                lambda query, k: len(connection.execute(statement, [query, k], prepare=True).fetchall()),
                slow=True,
            ),
            _finish(connection),
        )


def _extend(connection: psycopg.Connection[Any], name: str) -> None:
    connection.execute(f"CREATE EXTENSION {name}")
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = %s", [name]).fetchone()
    assert row == (EXTENSIONS[name],), f"{name} is {row}, not {EXTENSIONS[name]}"


def _copy(connection: psycopg.Connection[Any], texts: Sequence[str], watch: Stopwatch, name: str) -> None:
    connection.execute("CREATE TABLE peer (id integer PRIMARY KEY, txt text)")
    _fill(connection, texts, watch, f"{name}: COPY")


def _fill(connection: psycopg.Connection[Any], texts: Sequence[str], watch: Stopwatch, name: str) -> None:
    with (
        watch.part(name),
        connection.cursor() as cursor,
        cursor.copy("COPY peer (id, txt) FROM STDIN") as stream,
    ):
        for row in enumerate(texts):
            stream.write_row(row)


def _finish(connection: psycopg.Connection[Any]) -> int:
    connection.execute("VACUUM (ANALYZE) peer")
    row = connection.execute("SELECT pg_total_relation_size('peer_index')").fetchone()
    assert row is not None
    return int(row[0])
