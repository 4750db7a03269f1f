"""What the facade costs beside its own two legs, written by hand.

The same queries in turns (A B C, A B C, …), one client, warm, in mode hybrid with the model ``hashing``:

- ``legs``: on one psycopg connection, the query's vector, then in one pipeline BEGIN, ``assume``, the lexical leg and
  the vector leg of the one library, each to the depth that the facade asks for, and COMMIT. *Not* done for its time:
  finding the library's version, fusing, reading and checking passages, the exits.
- ``by hand``: the same, with a fusion in a dictionary and the passages' texts in a second round trip.
- ``facade`` and ``awaited``: ``RagSpine.search`` and ``AsyncRagSpine.search``, k 10, on a pool.

The gate is facade / legs at most 1.3. Round trips are held to two by tests/retrieval/test_round_trips.py.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg

from ragspine_pg import Access, AsyncRagSpine, Document, EmbeddingTask, RagSpine, make_embedding_model
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.embedded import vector_text

ROOT = Path(__file__).resolve().parents[2]
ME = Access("bench", {"user:me"})
GATE = 1.3
DEPTH = 100

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
LEXICAL = "SELECT chunk_no, chunk_id, rank, score FROM ragspine.lexical_leg_v1(%s, %s, %s)"
VECTOR = (
    "SELECT chunk_no, chunk_id, rank, score FROM ragspine.vector_leg_v1(%s, %s, ragspine.parse_embedding_v1(%s), %s)"
)
PASSAGES = "SELECT place, document_id, chunk_id, text FROM ragspine.read_passages_v1(%s::integer[], %s::bigint[], NULL)"


def main() -> None:
    """Run the benchmark, print it, and write ``results/facade_overhead.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/facade_overhead.json")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        with RagSpine.open(config=ServiceConfig.load(home=Path(folder) / "home")) as spine:
            for size in options.documents:
                found[size] = compare(spine, size, options.queries, options.rounds)
    result = {
        "benchmark": "client/facade_overhead",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "gate": GATE,
        "milliseconds": found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")


def compare(spine: RagSpine, size: int, queries: int, rounds: int) -> dict[str, Any]:
    """The median of each contestant, and its multiple of the legs alone."""
    name = f"library-{size}"
    chance = random.Random(size)
    words = [f"word{number}" for number in range(5000)]
    spine.create_library("bench", name, embedding="hashing").ingest(
        Document(f"d{number}", " ".join(chance.choices(words, k=60))) for number in range(size)
    )
    asked = [" ".join(chance.choices(words, k=4)) for _ in range(queries)]
    server = spine.embedded
    assert server is not None
    with psycopg.connect(server.reader_url, autocommit=True) as connection, asyncio.Runner() as runner:
        legs = Legs(connection, spine, name)
        opening = AsyncRagSpine.open(server.reader_url, grant_key=server.grant_key)
        awaited = runner.run(opening)

        def by_awaited(query: str) -> Any:
            return runner.run(awaited.search(query, access=ME, libraries=name)).hits

        contestants: dict[str, Callable[[str], Any]] = {
            "legs": legs.legs,
            "by hand": legs.by_hand,
            "facade": lambda query: spine.search(query, access=ME, libraries=name).hits,
            "awaited": by_awaited,
        }
        times: dict[str, list[list[float]]] = {contestant: [] for contestant in contestants}
        for turn in range(rounds + 1):
            for series in times.values():
                series.append([])
            for query in asked:
                for contestant, search in contestants.items():
                    began = time.perf_counter()
                    hits = search(query)
                    times[contestant][turn].append(time.perf_counter() - began)
                    if not hits:
                        raise SystemExit(f"{contestant} found nothing")
        runner.run(awaited.aclose())
    return told(size, {contestant: series[1:] for contestant, series in times.items()})  # the first turn warms up


class Legs:
    """Hand-written search in one library, on one connection."""

    def __init__(self, connection: psycopg.Connection[Any], spine: RagSpine, name: str) -> None:
        self._connection = connection
        self._spine = spine
        model = make_embedding_model("hashing")
        assert model is not None
        self._model = model
        with connection.transaction():
            connection.execute("SELECT ragspine.assume(%s)", [spine.grant(ME)])
            row = connection.execute(
                "SELECT version_no, space FROM ragspine.readable_libraries_v1(%s, NULL)", [[name]]
            ).fetchone()
            assert row is not None
            self._version_no, self._space = row

    def legs(self, query: str) -> list[Any]:
        """Both rankings."""
        lexical, vector = self._rankings(query, commit=True)
        return lexical + vector

    def by_hand(self, query: str) -> list[Any]:
        """Ten texts, fused by rank."""
        scores: dict[int, float] = {}
        for ranking in self._rankings(query, commit=False):
            for chunk_no, _, rank, _ in ranking:
                scores[chunk_no] = scores.get(chunk_no, 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=lambda chunk_no: -scores[chunk_no])[:10]
        with self._connection.pipeline():
            cursor = self._connection.execute(PASSAGES, [[self._version_no] * len(best), best], binary=True)
            self._connection.execute("COMMIT")
        return cursor.fetchall()

    def _rankings(self, query: str, *, commit: bool) -> tuple[list[Any], list[Any]]:
        vector = vector_text(self._model.embed([query], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
        grant = self._spine.grant(ME)
        with self._connection.pipeline():
            self._connection.execute(BEGIN)
            self._connection.execute("SELECT ragspine.assume(%s)", [grant])
            lexical = self._connection.execute(LEXICAL, [self._version_no, query, DEPTH], binary=True)
            near = self._connection.execute(VECTOR, [self._version_no, self._space, vector, DEPTH], binary=True)
            if commit:
                self._connection.execute("COMMIT")
        return lexical.fetchall(), near.fetchall()


def told(size: int, times: dict[str, list[Sequence[float]]]) -> dict[str, Any]:
    """A table, in milliseconds, and the ratio round by round."""
    medians = {name: [1000 * statistics.median(turn) for turn in turns] for name, turns in times.items()}
    print(f"\n{size:,} documents{'':4}median ms    of the legs, round by round")
    figures: dict[str, Any] = {}
    for name, turns in medians.items():
        ratios = [own / base for own, base in zip(turns, medians["legs"], strict=True)]
        figures[name] = {"median": round(statistics.median(turns), 3), "ratios": [round(ratio, 3) for ratio in ratios]}
        over = f"  over the gate of {GATE}" if name == "facade" and statistics.median(ratios) > GATE else ""
        print(f"{name:16}{statistics.median(turns):12.2f}    {' '.join(f'{ratio:.2f}' for ratio in ratios)}{over}")
    return figures


if __name__ == "__main__":
    main()
