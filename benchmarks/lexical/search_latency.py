"""How long a lexical search takes, beside the usual full-text recipe and beside BM25 in memory.

Contestants, in turns over the same queries, ten results each, one client, warm:

- ``sql``: ``ragspine.search`` as a reader's login: a transaction, the grant, rights, statistics of the readable corpus,
  exact BM25, text and provenance, the exit.
- ``facade``: the same through ``RagSpine.search``.
- ``ts_rank_cd``: GIN over a tsvector, the query's words OR-ed, ORDER BY ts_rank_cd, on the same server; no rights, ids
  and scores only. No BM25: no idf.
- ``bm25s``: the same lexemes in this process's memory; the query's analysis is not counted; no rights, no text.
"""

import argparse
import json
import lzma
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
import psycopg

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.config import ServiceConfig

ROOT = Path(__file__).resolve().parents[2]
TENANT, READER = "bench", Access("bench", {"user:ann"})
K = 10
Search = Callable[[str], int]  # how many results


@dataclass(frozen=True)
class Corpus:
    """Texts and queries to search them with."""

    name: str
    documents: list[Document]
    queries: list[str]


def main() -> None:
    """Run the benchmark, print it, and write ``results/search_latency.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="turns of every contestant over all queries")
    parser.add_argument("--chunks", type=int, default=20_000, help="how much of the manuals; 0 leaves them out")
    parser.add_argument("--queries", type=int, default=100, help="queries a round")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/search_latency.json")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        with RagSpine.open(config=ServiceConfig.load(home=Path(folder) / "home")) as spine:
            for corpus in corpora(options.chunks):
                found[corpus.name] = run(spine, corpus, options.rounds, options.queries)
    result = {
        "benchmark": "lexical/search_latency",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "k": K,
        "rounds": options.rounds,
        "corpora": found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")


def corpora(chunks: int) -> Iterator[Corpus]:
    """Cranfield and the manuals where they are at hand, else made-up text of Cranfield's size."""
    folder = Path(os.environ.get("RAGSPINE_DATASETS") or ROOT.parent / "shared/datasets")
    if (folder / "cranfield").is_dir():
        from ragspine_pg.evaluation import load_dataset

        dataset = load_dataset(folder / "cranfield")
        yield Corpus("cranfield", list(dataset.documents()), [case.text for case in dataset.cases])
    else:
        print(f"no judged collections in {folder} (RAGSPINE_DATASETS): made-up text instead")
        yield made_up(1400)
    if chunks and (folder / "manuals").is_dir():
        with lzma.open(folder / "manuals/corpus.tsv.xz", "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t", 1) for line, _ in zip(lines, range(chunks), strict=False)]
        queries = json.loads((folder / "manuals/queries.json").read_text(encoding="utf-8"))
        yield Corpus("manuals", [Document(id, text) for id, text in rows], queries)


def made_up(number: int) -> Corpus:
    """Texts of 150 invented words each, their frequencies as Zipf has them."""
    draw = random.Random(5)
    words = [
        "".join(draw.choices("bcdfglmnprst", k=2)) + draw.choice("aeiou") + draw.choice("lnrst") for _ in range(4000)
    ]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    documents = [Document(f"d{n}", " ".join(draw.choices(words, weights, k=150))) for n in range(number)]
    queries = [" ".join(draw.sample(document.text.split(), draw.randint(1, 8))) for document in documents[:200]]
    return Corpus("made-up", documents, queries)


def run(spine: RagSpine, corpus: Corpus, rounds: int, number: int) -> dict[str, Any]:
    """Ingest a corpus, let the contestants take turns, print the table; everything as JSON."""
    queries = corpus.queries[:number]
    library = spine.create_library(TENANT, corpus.name, chunker="whole")
    started = time.perf_counter()
    library.ingest(corpus.documents)
    ingested = time.perf_counter() - started
    chunks = library.stats().chunks
    print(f"\n{corpus.name}: {chunks:,} chunks, {len(queries)} queries, {rounds} rounds; ingest {ingested:.1f} s")
    with contestants(spine, corpus) as taking_part:
        times: dict[str, list[list[float]]] = {name: [] for name in taking_part}
        for search in taking_part.values():  # warm
            assert sum(search(query) for query in queries) > len(queries)
        for _ in range(rounds):
            for name, search in taking_part.items():
                times[name].append([timed(search, query) for query in queries])
    figures = {name: summary(of, times["sql"]) for name, of in times.items()}
    print(f"{'':12}{'p50':>9}{'p90':>9}{'p99':>9}{'mean':>9}   times sql, round by round")
    for name, of in figures.items():
        spread = " ".join(f"{ratio:.2f}" for ratio in of["times_sql"])
        print(f"{name:12}" + "".join(f"{of[key]:9.2f}" for key in ("p50", "p90", "p99", "mean")) + f"   {spread}")
    return {"chunks": chunks, "queries": len(queries), "ingest_seconds": round(ingested, 2), "milliseconds": figures}


def timed(search: Search, query: str) -> float:
    """Milliseconds of one search."""
    started = time.perf_counter()
    search(query)
    return (time.perf_counter() - started) * 1000


def summary(rounds: list[list[float]], sql: list[list[float]]) -> dict[str, Any]:
    """Percentiles over all rounds, and per round the ratio of the means to that of ``sql``."""
    every = sorted(value for of in rounds for value in of)
    cuts = statistics.quantiles(every, n=100, method="inclusive")
    ratios = [statistics.fmean(of) / statistics.fmean(base) for of, base in zip(rounds, sql, strict=True)]
    return {
        "p50": round(cuts[49], 3),
        "p90": round(cuts[89], 3),
        "p99": round(cuts[98], 3),
        "mean": round(statistics.fmean(every), 3),
        "times_sql": [round(ratio, 3) for ratio in ratios],
    }


@contextmanager
def contestants(spine: RagSpine, corpus: Corpus) -> Iterator[dict[str, Search]]:
    """The four, ready to search."""
    server = spine.embedded
    assert server is not None
    with (
        psycopg.connect(server.reader_url, autocommit=True) as reader,
        psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as peer,
    ):
        full_text(peer, corpus)
        lexemes = analysed(reader, {document.id: f"{document.title}\n{document.text}" for document in corpus.documents})
        model = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        model.index(list(lexemes.values()), show_progress=False)
        asked = analysed(reader, {query: query for query in corpus.queries})

        def sql(query: str) -> int:
            with reader.transaction():
                reader.execute("SELECT ragspine.assume(%s)", [spine.grant(READER)])
                return len(
                    reader.execute(
                        "SELECT rank, score, document_id, chunk_id, locator, text FROM ragspine.search(%s, %s, %s)",
                        [query, K, [corpus.name]],
                    ).fetchall()
                )

        def facade(query: str) -> int:
            return len(spine.search(query, access=READER, libraries=corpus.name, k=K).hits)

        def ts_rank_cd(query: str) -> int:
            return len(
                peer.execute(
                    """
                    SELECT p.id, ts_rank_cd(p.tsv, q.tsq) AS score
                      FROM peer AS p,
                           (SELECT replace(plainto_tsquery('english', %s)::text, '&', '|')::tsquery AS tsq) AS q
                     WHERE p.tsv @@ q.tsq
                     ORDER BY score DESC
                     LIMIT %s
                    """,
                    [query, K],
                ).fetchall()
            )

        def in_memory(query: str) -> int:
            tokens = [token for token in asked[query] if token in model.vocab_dict]
            return model.retrieve([tokens], k=K, show_progress=False).documents.size if tokens else 0

        yield {"sql": sql, "facade": facade, "ts_rank_cd": ts_rank_cd, "bm25s": in_memory}


def full_text(peer: psycopg.Connection[Any], corpus: Corpus) -> None:
    """The usual recipe's table on the same server, loaded and vacuumed."""
    peer.execute("DROP TABLE IF EXISTS peer")
    peer.execute("CREATE TABLE peer (id text PRIMARY KEY, body text, tsv tsvector)")
    with peer.cursor() as cursor, cursor.copy("COPY peer (id, body) FROM STDIN") as stream:
        for document in corpus.documents:
            stream.write_row([document.id, f"{document.title}\n{document.text}"])
    peer.execute("UPDATE peer SET tsv = to_tsvector('english', body)")
    peer.execute("CREATE INDEX ON peer USING gin (tsv)")
    peer.execute("VACUUM (FULL, ANALYZE) peer")


def analysed(reader: psycopg.Connection[Any], texts: dict[str, str]) -> dict[str, list[str]]:
    """The lexemes of each text, as often as each occurs."""
    tokens: dict[str, list[str]] = {name: [] for name in texts}
    rows = reader.execute(
        """
        SELECT t.name, a.lexeme, a.frequency
          FROM unnest(%s::text[], %s::text[]) AS t(name, text)
         CROSS JOIN LATERAL ragspine.analyze(t.text, 'english') AS a
        """,
        [list(texts), list(texts.values())],
    )
    for name, lexeme, frequency in rows:
        tokens[name] += [lexeme] * frequency
    return tokens


if __name__ == "__main__":
    main()
