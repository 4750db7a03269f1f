"""Whether a prepared search keeps its plans, and its pace, between a tenant of five chunks and a large one.

Both tenants are in one database. One client asks them in turns, twenty times each, a number of queries a turn:
directly, the search prepared by name, and behind PgBouncer in transaction mode, where it is installed, nothing prepared
and both tenants on the same server connections. PostgreSQL plans a prepared statement anew five times and may keep one
plan for all from the sixth on: so what turns 6 to 20 take is shown beside turns 2 to 5.

Then once more, not timed, with auto_explain: the script fails where a statement inside the search is planned otherwise
than in the first turn, or reads a table of more than a few pages from end to end.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402
from benchmarks.lexical.contest.corpus import Manuals, manuals  # noqa: E402
from benchmarks.lexical.contest.server import SETTINGS, open_server  # noqa: E402
from benchmarks.lexical.contest.turns import figures  # noqa: E402
from ragspine_pg import Access, Document, RagSpine  # noqa: E402
from ragspine_pg.connect.embedded import EmbeddedServer  # noqa: E402
from tests.fixtures.pooler import passable_folder, pooling, program  # noqa: E402
from tests.lexical.planned import Asked, assert_planned_alike, client, keep_plans, tell_plans  # noqa: E402

LIBRARY, NAME, TURNS = "manuals", "plans", 20
TINY, LARGE = "tiny", "large"


def main() -> None:
    """Run the benchmark, print it, and write ``results/plans.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000, help="of the large tenant; up to a million, recombined")
    parser.add_argument("--queries", type=int, default=10, help="a turn")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/plans.json")
    options = parser.parse_args()
    source = manuals()
    with open_server(None) as server, database(server, NAME) as spine:
        both = load(server, spine, source, options.chunks)
        queries = source.given[: options.queries]
        found = {}
        for way, url, prepare in ways(server):
            with url as of:
                found[way] = turns(of, both, queries, prepare=prepare)
        with psycopg.connect(server.url("superuser", NAME), autocommit=True) as superuser:
            version = superuser.execute("SELECT version()").fetchone()
            statements = plans(superuser, server, both, queries[0])
    result = {
        "benchmark": "lexical/plans",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "server": {"version": version[0] if version else None, **SETTINGS},
        "options": {"chunks": options.chunks, "queries": len(queries)},
        "ways": found,
        "statements": statements,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"written to {options.output}")


def load(server: EmbeddedServer, spine: RagSpine, source: Manuals, chunks: int) -> tuple[Asked, Asked]:
    """Both tenants, sealed and vacuumed."""
    texts = list(islice(source.million(), chunks))
    began = time.perf_counter()
    asked = []
    for tenant, held in ((TINY, [f"{text} {' '.join(source.given)}" for text in texts[:5]]), (LARGE, texts)):
        library = spine.create_library(
            tenant, LIBRARY, analyzer="english", chunker="whole", profile={"pivot": 100}, fields={"n": "number"}
        )
        library.ingest(Document(str(n), text, metadata={"n": n}) for n, text in enumerate(held))
        library.optimize()
        asked.append(Asked(tenant, LIBRARY, spine.grant(Access(tenant, {"user:ann"}), seconds=86_400)))
    with psycopg.connect(server.url("superuser", NAME), autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
    print(f"{source.name}: 5 and {len(texts):,} chunks, loaded in {time.perf_counter() - began:.0f} s", flush=True)
    return asked[0], asked[1]


def ways(server: EmbeddedServer) -> Iterator[tuple[str, Any, bool]]:
    """How the server is reached, and whether searches are prepared by name."""
    yield "prepared", _direct(server), True
    if program() is None:
        print("not run behind PgBouncer, which is not installed")
    else:
        yield "behind PgBouncer", _pooled(server), False


@contextmanager
def _direct(server: EmbeddedServer) -> Iterator[str]:
    yield server.url("reader", NAME)


@contextmanager
def _pooled(server: EmbeddedServer) -> Iterator[str]:
    with passable_folder() as folder, pooling(server, folder) as running:
        yield running.url(server.url("reader", NAME))


def turns(url: str, both: Sequence[Asked], queries: Sequence[str], *, prepare: bool) -> dict[str, Any]:
    """Times of each tenant's searches, by turn."""
    times: dict[str, list[list[float]]] = {asked.tenant: [] for asked in both}
    with client(url, prepare) as asking:
        for _ in range(TURNS):
            for asked in both:
                took = []
                for query in queries:
                    began = time.perf_counter()
                    asking.search(asked, query)
                    took.append((time.perf_counter() - began) * 1000)
                times[asked.tenant].append(took)
    title = "prepared by name" if prepare else "behind PgBouncer"
    print(f"\n{title:18}{'p50':>9}{'p95':>9}{'turns 2-5':>12}{'6-20':>9}  ratio")
    result: dict[str, Any] = {}
    for tenant, of in times.items():
        all_of = figures([value for took in of[1:] for value in took])
        early, late = (statistics.median(value for took in part for value in took) for part in (of[1:5], of[5:]))
        print(
            f"{tenant:18}{all_of['p50']:9.2f}{all_of['p95']:9.2f}{early:12.2f}{late:9.2f}{late / early:7.2f}",
            flush=True,
        )
        result[tenant] = {
            "milliseconds": {part: round(value, 3) for part, value in all_of.items()},
            "median_by_turn": [round(statistics.median(took), 3) for took in of],
            "late_times_early": round(late / early, 3),
        }
    return result


def plans(superuser: psycopg.Connection[Any], server: EmbeddedServer, both: tuple[Asked, Asked], query: str) -> int:
    """How many statements are planned alike from the first turn to the last; zero where nobody can tell."""
    try:
        tables = tell_plans(superuser, NAME)
    except psycopg.errors.UndefinedFile:
        print("\nthis server comes without auto_explain: of plans it is not known")
        return 0
    for way, url, prepare in ways(server):
        with url as of:
            firsts = assert_planned_alike(superuser, of, both, query, None, tables, prepare=prepare, rounds=TURNS)
        statements = len(set().union(*firsts.values()))
        print(f"{way}: {statements} statements, {TURNS} turns in either order: no other plan, no table read whole")
    keep_plans(superuser, NAME)
    return statements


if __name__ == "__main__":
    main()
