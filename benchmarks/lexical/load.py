"""What searches wait for while others write and seal.

One library of the manuals, sealed. Searched by one reader alone; by eight; by eight while four others ingest,
relabel, delete and ingest again, and a fifth runs ``optimize`` without end; and by one reader again. Everybody is a
process with a connection of its own, and rests between its calls (``--pause``). Latencies are those of
``ragspine.search_lexical``, with the grant, texts, locators and the exit, as a reader's login. That what is found is
right is for the tests (``tests/lexical/test_mixed_load.py``).
"""

import argparse
import json
import multiprocessing
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402
from benchmarks.lexical.contest.corpus import manuals  # noqa: E402
from benchmarks.lexical.contest.server import SETTINGS, open_server  # noqa: E402
from benchmarks.lexical.contest.turns import figures  # noqa: E402
from ragspine_pg import Access, Document, RagSpine  # noqa: E402
from ragspine_pg.client.library import Library  # noqa: E402
from ragspine_pg.config import ServiceConfig  # noqa: E402
from ragspine_pg.errors import NotFound  # noqa: E402

TENANT, LIBRARY, READER = "bench", "manuals", Access("bench", {"user:ann"})
READERS, BATCH = 8, 20
SEARCH = """
SELECT rank, score, document_id, chunk_id, locator, text FROM ragspine.search_lexical(%s, %s, %s) ORDER BY rank
"""
SEALED = """
SELECT count(*), count(DISTINCT (s.acl_class_no, s.run_no)), (SELECT count(*) FROM ragspine.lexical_tail)
  FROM ragspine.posting_segment AS s
"""


@dataclass(frozen=True)
class Place:
    """What a process needs to take part."""

    reader: str
    ingest: str
    owner: str
    key: str
    pause: float
    k: int
    queries: Sequence[str]
    texts: Sequence[str]
    """Of the documents stored, whose ids are their numbers here."""


def main() -> None:
    """Run the benchmark, print it, and write ``results/load.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000, help="a sample of so many; 0 takes all")
    parser.add_argument("--seconds", type=float, default=20, help="of each of the four parts")
    parser.add_argument("--pause", type=float, default=50, help="milliseconds that everybody rests between two calls")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/load.json")
    options = parser.parse_args()
    source = manuals()
    texts = source.chosen(options.chunks or None)
    with open_server(None) as server, database(server, "load") as spine:
        urls = {login: server.url(login, "load") for login in ("reader", "ingest", "owner")}
        assert server.grant_key is not None
        place = Place(
            **urls, key=server.grant_key, pause=options.pause / 1000, k=options.k, queries=source.given, texts=texts
        )
        library = spine.create_library(TENANT, LIBRARY, analyzer="english", chunker="whole")
        began = time.perf_counter()
        library.ingest(Document(str(n), text) for n, text in enumerate(texts))
        library.optimize()
        print(f"{source.name}: {len(texts):,} chunks in {time.perf_counter() - began:.0f} s; {SETTINGS}", flush=True)
        with psycopg.connect(server.url("superuser", "load"), autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
            version = connection.execute("SELECT version()").fetchone()
        one, many = [read] * 1, [read] * READERS
        parts = {
            "one reader": run(place, one, [], options.seconds),
            "eight readers": run(place, many, [], options.seconds),
            "eight, and writers": run(place, many, WRITERS, options.seconds),
            "one reader again": run(place, one, [], options.seconds),
        }
    told = parts["eight, and writers"]["milliseconds"]
    ratios = {
        f"{part}, times {name}": round(told[part] / of["milliseconds"][part], 2)
        for name, of in parts.items()
        if name in ("one reader", "eight readers")
        for part in ("p50", "p95", "p99")
    }
    print("\neight readers beside writers: " + "; ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
    result = {
        "benchmark": "lexical/load",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "server": {"version": version[0] if version else None, **SETTINGS},
        "options": {"seconds": options.seconds, "pause_ms": options.pause, "k": options.k, "chunks": len(texts)},
        "parts": parts,
        "ratios": ratios,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"written to {options.output}")


Taker = Callable[[Place, int, "Queue[Any]", Event, Event], None]
"""Tells when it is ready, waits for the start, and puts what it did when it is told to stop."""


def run(place: Place, readers: Sequence[Taker], writers: Sequence[Taker], seconds: float) -> dict[str, Any]:
    """One part: latencies of the searches, and how many calls a second there were of each kind."""
    context = multiprocessing.get_context("spawn")
    told: Queue[Any] = context.Queue()
    start, stop = context.Event(), context.Event()
    takers = [
        context.Process(target=taker, args=(place, n, told, start, stop))
        for n, taker in enumerate([*readers, *writers])
    ]
    for taker in takers:
        taker.start()
    for _ in takers:
        ready = told.get(timeout=120)
        assert ready == "ready", ready
    start.set()
    time.sleep(seconds)
    stop.set()
    found = [told.get(timeout=120) for _ in takers]
    for taker in takers:
        taker.join(60)
        assert taker.exitcode == 0, f"a process ended with {taker.exitcode}"
    times = [value for kind, values in found if kind == "search" for value in values]
    writes = {kind: number for kind, number in found if kind != "search"}
    with psycopg.connect(place.owner) as connection:
        segments, runs, tail = connection.execute(SEALED).fetchone() or (0, 0, 0)
    result = {
        "searches_a_second": round(len(times) / seconds, 1),
        "milliseconds": {part: round(value, 2) for part, value in figures(times).items()},
        "writes_a_second": {kind: round(number / seconds, 2) for kind, number in writes.items()},
        "at_the_end": {"segments": segments, "runs": runs, "tail": tail},
    }
    head = f"{len(readers)} reading" + (f", {len(writers)} writing" if writers else "")
    cells = " ".join(f"{part} {result['milliseconds'][part]:.2f}" for part in ("mean", "p50", "p95", "p99"))
    print(f"{head:24}{result['searches_a_second']:8.1f} searches a second; ms: {cells}")
    if writers:
        print(f"{'':24}a second: " + ", ".join(f"{kind} {n}" for kind, n in result["writes_a_second"].items()))
        print(f"{'':24}at the end {segments} segments in {runs} runs, {tail} chunks in tails", flush=True)
    return result


def read(place: Place, number: int, told: "Queue[Any]", start: Event, stop: Event) -> None:
    """Search, and take the time."""
    draw, times, hits = random.Random(number), list[float](), 0
    with RagSpine.open(place.reader, grant_key=place.key, config=ServiceConfig(pool_size=1)) as spine:
        grant = spine.grant(READER, seconds=86_400)
    with psycopg.connect(place.reader) as connection:

        def search(query: str) -> int:
            with connection.transaction():
                connection.execute("SELECT ragspine.assume(%s)", [grant], prepare=True)
                return len(connection.execute(SEARCH, [query, place.k, [LIBRARY]], prepare=True).fetchall())

        for query in place.queries[:10]:  # warm
            search(query)
        told.put("ready")
        start.wait()
        while not stop.wait(place.pause):
            query = draw.choice(place.queries)
            began = time.perf_counter()
            hits += search(query)
            times.append((time.perf_counter() - began) * 1000)
    assert hits > len(times), f"{len(times)} searches found {hits} chunks"
    told.put(("search", times))


def writer(kind: str, write: Callable[[Library, Place, random.Random, int], bool]) -> Taker:
    """One that calls ``write`` with growing numbers."""
    return _Writer(kind, write)


@dataclass(frozen=True)
class _Writer:
    kind: str
    write: Callable[[Library, Place, random.Random, int], bool]

    def __call__(self, place: Place, number: int, told: "Queue[Any]", start: Event, stop: Event) -> None:
        draw, done = random.Random(number), 0
        opened = RagSpine.open(
            place.reader, ingest=place.ingest, grant_key=place.key, config=ServiceConfig(pool_size=1)
        )
        with opened as spine:
            library = spine.library(TENANT, LIBRARY)
            told.put("ready")
            start.wait()
            for n in count():
                if stop.wait(place.pause):
                    break
                done += self.write(library, place, draw, n)
        told.put((self.kind, done))


def ingest(library: Library, place: Place, draw: random.Random, n: int) -> bool:
    """Twenty new documents, of texts put together from two."""
    first, second = (draw.choices(place.texts, k=BATCH) for _ in range(2))
    library.ingest(
        Document(f"new{n}-{at}", f"{one[: len(one) // 2]} {other[len(other) // 2 :]}")
        for at, (one, other) in enumerate(zip(first, second, strict=True))
    )
    return True


def relabel(library: Library, place: Place, draw: random.Random, n: int) -> bool:
    """Any document to a group, or back to everybody."""
    try:
        return library.relabel(str(draw.randrange(len(place.texts))), readers=draw.choice([None, {"group:staff"}]))
    except NotFound:
        return False


def delete(library: Library, place: Place, draw: random.Random, n: int) -> bool:
    """Any document."""
    return library.delete(str(draw.randrange(len(place.texts))))


def ingest_again(library: Library, place: Place, draw: random.Random, n: int) -> bool:
    """Twenty documents with a word more than they had, whether they are still there or not."""
    chosen = draw.sample(range(len(place.texts)), BATCH)
    library.ingest(Document(str(at), f"{place.texts[at]} edition{n}") for at in chosen)
    return True


def optimize(library: Library, place: Place, draw: random.Random, n: int) -> bool:
    """Seal and fold."""
    library.optimize()
    return True


WRITERS = [
    writer("ingest", ingest),
    writer("relabel", relabel),
    writer("delete", delete),
    writer("ingest again", ingest_again),
    writer("optimize", optimize),
]


if __name__ == "__main__":
    main()
