"""Ours in the contest: how it is built, searched, scanned and measured."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from benchmarks.lexical.contest.turns import OURS, Contestant, Stopwatch
from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.ingest import Progress

TENANT, LIBRARY, READER = "bench", "manuals", Access("bench", {"user:ann"})
ANALYZER = "english"
LEXICAL = (
    "posting_block",
    "posting_list",
    "posting_segment",
    "lexical_tail",
    "chunk_lexical",
    "lexeme",
    "lexeme_stat",
    "corpus_stat",
)
LEG = "SELECT chunk_id, score FROM ragspine.lexical_leg_v1(%s, %s, %s) ORDER BY rank"
HIT = """
SELECT document_id, score FROM ragspine.search_lexical(%s, %s, %s) ORDER BY rank
"""
SEARCH = """
SELECT rank, score, document_id, chunk_id, locator, text FROM ragspine.search_lexical(%s, %s, %s) ORDER BY rank
"""
_VERSION = """
SELECT v.version_no FROM ragspine.index_version AS v
  JOIN ragspine.library AS l USING (tenant_no, library_no) JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %s AND l.library_id = %s AND v.state = 'published'
"""


class Ours:
    """A library in a database of its own, with connections of its reader and its owner."""

    def __init__(self, server: EmbeddedServer, spine: RagSpine, database: str) -> None:
        self.spine = spine
        self._urls = {login: server.url(login, database) for login in ("reader", "owner", "superuser")}
        self.reader = psycopg.connect(self._urls["reader"])
        self._owner = psycopg.connect(self._urls["owner"])
        self._version = 0

    def close(self) -> None:
        """Close the connections."""
        self.reader.close()
        self._owner.close()

    def load(self, texts: Sequence[str], pivot: float, watch: Stopwatch) -> None:
        """Ingest the texts, a document each, and seal them; with the length pivot that bm25s measures."""
        library = self.spine.create_library(
            TENANT, LIBRARY, analyzer=ANALYZER, chunker="whole", profile={"k1": 1.2, "b": 0.75, "pivot": pivot}
        )
        started = time.perf_counter()
        report = library.ingest((Document(str(n), text) for n, text in enumerate(texts)), progress=_told())
        assert report.chunks == len(texts), report
        watch.add("ours: ingest, analysis included", report.seconds)
        # An ingest seals as a transaction of its own behind the one that it reports.
        rest = time.perf_counter() - started - report.seconds
        began = time.perf_counter()
        library.optimize()
        watch.add("ours: seal", rest + time.perf_counter() - began)
        with psycopg.connect(self._urls["superuser"], autocommit=True) as connection, watch.part("ours: vacuum"):
            connection.execute("VACUUM (ANALYZE)")
        with self._owner.transaction():
            row = self._owner.execute(_VERSION, [TENANT, LIBRARY]).fetchone()
            assert row is not None
            self._version = row[0]
            waiting = self._owner.execute("SELECT count(*) FROM ragspine.lexical_tail").fetchone()
            segments = self._owner.execute("SELECT count(*) FROM ragspine.posting_segment").fetchone()
        assert waiting == (0,), f"{waiting} chunks are not sealed"
        assert (segments and segments[0]) or len(texts) < 1000, "nothing is sealed"

    def sizes(self) -> dict[str, dict[str, int]]:
        """Bytes of the lexical tables, without and with their indexes."""
        with self._owner.transaction():
            rows = self._owner.execute(
                "SELECT t, pg_table_size(c), pg_total_relation_size(c)"
                "  FROM unnest(%s::text[]) AS t, CAST('ragspine.' || t AS regclass) AS c",
                [list(LEXICAL)],
            ).fetchall()
        return {name: {"table": table, "total": total} for name, table, total in rows}

    def tokens(self, texts: Mapping[str, str]) -> dict[str, list[str]]:
        """The lexemes of each text, as often as each occurs, in code-point order."""
        found: dict[str, list[str]] = {name: [] for name in texts}
        for name, lexemes, frequencies in self.analysed(list(texts), list(texts.values())):
            found[name] = [lexeme for lexeme, times in zip(lexemes, frequencies, strict=True) for _ in range(times)]
        return found

    def analysed(self, names: list[str], texts: list[str]) -> list[tuple[str, list[str], list[int]]]:
        """Names, lexemes and frequencies of the texts that hold any lexeme."""
        with self.reader.transaction():
            return self.reader.execute(
                """
                SELECT t.name, array_agg(a.lexeme ORDER BY a.lexeme COLLATE "C"),
                       array_agg(a.frequency ORDER BY a.lexeme COLLATE "C")
                  FROM unnest(%s::text[], %s::text[]) AS t(name, text)
                 CROSS JOIN LATERAL ragspine.analyze(t.text, %s) AS a
                 GROUP BY 1
                """,
                [names, texts, ANALYZER],
            ).fetchall()

    def contestants(self) -> list[Contestant]:
        """The lexical leg, the whole search, and the leg as a scan."""
        return [
            Contestant(
                OURS,
                "the lexical leg by SQL as the reader's login, rights and grant included; ids and scores",
                lambda query, k: len(self.reader.execute(LEG, [self._version, query, k], prepare=True).fetchall()),
                self._reading,
            ),
            Contestant(
                "ours, search",
                "ragspine.search_lexical: the leg, and texts, locators and the exit",
                lambda query, k: len(self.reader.execute(SEARCH, [query, k, [LIBRARY]], prepare=True).fetchall()),
                self._reading,
            ),
            Contestant(
                "ours, unsealed",
                "the leg as an exact scan of every row: its segments are deleted in a transaction that is rolled back",
                lambda query, k: len(self._owner.execute(LEG, [self._version, query, k], prepare=True).fetchall()),
                self._unsealed,
                slow=True,
            ),
        ]

    def answers(self, query: str, k: int) -> list[tuple[str, float]]:
        """Documents and scores of a search."""
        with self._reading():
            return self.reader.execute(HIT, [query, k, [LIBRARY]]).fetchall()

    def assert_as_scanned(self, query: str, ks: Sequence[int]) -> int:
        """The leg finds for each k, to the bit, what a scan of every row finds; how many."""
        with self._unsealed():
            scanned = self._owner.execute(LEG, [self._version, query, max(ks)]).fetchall()
        with self._reading():
            for k in ks:
                found = self.reader.execute(LEG, [self._version, query, k]).fetchall()
                assert found == scanned[:k], f"k {k}, {query!r}: {found} by postings, {scanned[:k]} by a scan"
        return len(scanned)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A transaction of the reader's with a grant."""
        with self.reader.transaction():
            self.reader.execute("SELECT ragspine.assume(%s)", [self.spine.grant(READER, seconds=86_400)])
            yield

    @contextmanager
    def _unsealed(self) -> Iterator[None]:
        with self._owner.transaction(force_rollback=True):
            self._owner.execute("DELETE FROM ragspine.posting_segment")
            self._owner.execute("SELECT ragspine.assume(%s)", [self.spine.grant(READER, seconds=86_400)])
            yield


def _told() -> Any:
    """Prints progress, every ten seconds at most."""
    last = [time.monotonic()]

    def tell(progress: Progress) -> None:
        if time.monotonic() - last[0] > 10:
            last[0] = time.monotonic()
            of = "" if progress.total is None else f" of {progress.total:,}"
            print(f"      {progress.stage}: {progress.done:,}{of}, {progress.seconds:.0f} s", flush=True)

    return tell
