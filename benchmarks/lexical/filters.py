"""What a metadata filter, and a caller's many access classes, cost the lexical leg.

The manuals, a document a chunk, in a library each for callers of 1, 10 and 1,000 classes that may all be read. A
declared number, drawn at random, lets 50, 10, 1, 0.1 and 0.01 % of the documents pass. In turns over the same queries,
one client, warm, ids and scores by SQL under the grant:

- ``filtered``: the leg as it is, with the filter;
- ``scan``: the same as an exact scan, its segments deleted in a transaction that is rolled back;
- ``unfiltered``: the leg as it is, without the filter.

What ``filtered`` finds is held to what ``scan`` finds, to the bit. Filtered should never take more than twice as long
as the better of the other two: the script fails where the means say that it does.
"""

import argparse
import json
import os
import platform
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402
from benchmarks.lexical.contest.corpus import manuals  # noqa: E402
from benchmarks.lexical.contest.server import SETTINGS, drop_database, open_server  # noqa: E402
from benchmarks.lexical.contest.turns import figures  # noqa: E402
from ragspine_pg import Access, Document, MetadataFilter, RagSpine  # noqa: E402
from ragspine_pg.connect.embedded import EmbeddedServer  # noqa: E402

TENANT, LIBRARY = "bench", "manuals"
STEPS = 10_000
SHARES = {"none": None, "50 %": 0.5, "10 %": 0.1, "1 %": 0.01, "0.1 %": 0.001, "0.01 %": 0.0001}
LEG = "SELECT chunk_id, score FROM ragspine.lexical_leg_v1(%s, %s, %s, %s::jsonb) ORDER BY rank"
_VERSION = """
SELECT v.version_no FROM ragspine.index_version AS v
  JOIN ragspine.library AS l USING (tenant_no, library_no) JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %s AND l.library_id = %s AND v.state = 'published'
"""


def main() -> None:
    """Run the benchmark, print it, and write ``results/filters.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000, help="a sample of so many; 0 takes all, 168,000")
    parser.add_argument("--classes", type=int, nargs="+", default=[1, 10, 1000])
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--gate", type=float, default=2.0, help="filtered, as a multiple of the better of the others")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/filters.json")
    options = parser.parse_args()
    source = manuals()
    texts = source.chosen(options.chunks or None)
    queries = source.given[:: max(1, len(source.given) // options.queries)][: options.queries]
    found: dict[str, Any] = {}
    print(f"{source.name}: {len(texts):,} chunks, {len(queries)} queries, k {options.k}; {SETTINGS}", flush=True)
    with open_server(None) as server:
        with psycopg.connect(server.url("superuser", "postgres")) as connection:
            version = connection.execute("SELECT version()").fetchone()
        for classes in options.classes:
            name = f"filters_{classes}"
            with database(server, name) as spine:
                shelf = Shelf(server, spine, name, texts, classes)
                found[str(classes)] = shelf.measure(queries, options.k, options.rounds)
                shelf.close()
            drop_database(server, name)
    above = [
        f"{classes} classes, {share}: {cell['ratio']}"
        for classes, of in found.items()
        for share, cell in of["shares"].items()
        if cell["ratio"] > options.gate
    ]
    result = {
        "benchmark": "lexical/filters",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "server": {"version": version[0] if version else None, **SETTINGS},
        "options": {name: value for name, value in vars(options).items() if name != "output"} | {"chunks": len(texts)},
        "classes": found,
        "above_the_gate": above,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")
    if above:
        sys.exit(f"more than {options.gate} times the better of scan and unfiltered: {'; '.join(above)}")


class Shelf:
    """The library of one number of classes, and who searches it."""

    def __init__(
        self, server: EmbeddedServer, spine: RagSpine, database: str, texts: Sequence[str], classes: int
    ) -> None:
        self._spine, self._classes = spine, classes
        self._groups = [f"group:{n}" for n in range(classes)]
        library = spine.create_library(
            TENANT, LIBRARY, analyzer="english", chunker="whole", fields={"n": "number"}, profile={"pivot": 100}
        )
        began = time.perf_counter()
        library.ingest(self._documents(texts))
        library.optimize()
        with psycopg.connect(server.url("superuser", database), autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
        self._reader = psycopg.connect(server.url("reader", database))
        self._owner = psycopg.connect(server.url("owner", database))
        with self._owner.transaction():
            row = self._owner.execute(_VERSION, [TENANT, LIBRARY]).fetchone()
            assert row is not None
            self._version = row[0]
            row = self._owner.execute("SELECT count(*) FROM ragspine.posting_segment").fetchone()
            segments = row[0] if row else 0
        seconds = time.perf_counter() - began
        print(f"\ncaller of {classes:,} classes: loaded in {seconds:.0f} s, {segments} segments", flush=True)

    def close(self) -> None:
        """Close the connections."""
        self._reader.close()
        self._owner.close()

    def _documents(self, texts: Sequence[str]) -> Iterator[Document]:
        draw = random.Random(41)
        for n, text in enumerate(texts):
            readers = None if self._classes == 1 else (self._groups[draw.randrange(self._classes)],)
            yield Document(str(n), text, metadata={"n": draw.randrange(STEPS)}, readers=readers)

    def measure(self, queries: Sequence[str], k: int, rounds: int) -> dict[str, Any]:
        """Times of each share, in turns; everything as JSON."""
        filters = {
            name: None if share is None else MetadataFilter.where("n", "lt", round(share * STEPS)).to_json()
            for name, share in SHARES.items()
        }
        contestants = {
            (name, how): (self._scanning if how == "scan" else self._reading, condition)
            for name, condition in filters.items()
            for how in ("filtered", "scan")
        }
        hits = {name: self._compared(queries, k, condition) for name, condition in filters.items()}
        times: dict[tuple[str, str], list[float]] = {of: [] for of in contestants}
        for turn in range(rounds + 1):  # the first one warms
            for of, (session, condition) in contestants.items():
                with session() as connection:
                    for query in queries:
                        began = time.perf_counter()
                        self._ask(connection, query, k, condition)
                        if turn:
                            times[of].append((time.perf_counter() - began) * 1000)
        unfiltered = figures(times["none", "filtered"])
        head = f"{'filter':>8}{'hits':>8}" + "".join(f"{of:>22}" for of in ("filtered", "scan", "unfiltered"))
        print(f"{head}   filtered / the better\n{'':16}" + f"{'mean':>13}{'p95':>9}" * 3 + f"{'mean':>9}{'p95':>8}")
        shares: dict[str, Any] = {}
        for name in filters:
            own, scan = figures(times[name, "filtered"]), figures(times[name, "scan"])
            parts = ("mean", "p95")
            ratios = {part: round(own[part] / min(scan[part], unfiltered[part]), 2) for part in parts}
            cells = "".join(f"{of['mean']:13.2f}{of['p95']:9.2f}" for of in (own, scan, unfiltered))
            print(f"{name:>8}{hits[name]:>8}{cells}{ratios['mean']:9.2f}{ratios['p95']:8.2f}", flush=True)
            shares[name] = {
                "hits": hits[name],
                "milliseconds": {how: _rounded(of) for how, of in (("filtered", own), ("scan", scan))},
                "ratio": ratios["mean"],
                "ratio_p95": ratios["p95"],
            }
        return {"unfiltered": _rounded(unfiltered), "shares": shares}

    def _compared(self, queries: Sequence[str], k: int, condition: str | None) -> int:
        """That the leg finds what its scan finds; how many."""
        answers = []
        for session in (self._reading, self._scanning):
            with session() as connection:
                answers.append([self._ask(connection, query, k, condition) for query in queries])
        for query, found, scanned in zip(queries, *answers, strict=True):
            assert found == scanned, f"{query!r}: {found} by postings, {scanned} by a scan"
        return sum(map(len, answers[0]))

    def _ask(self, connection: psycopg.Connection[Any], query: str, k: int, condition: str | None) -> list[Any]:
        return connection.execute(LEG, [self._version, query, k, condition], prepare=True).fetchall()

    def _assume(self, connection: psycopg.Connection[Any]) -> None:
        grant = self._spine.grant(Access(TENANT, {"user:ann", *self._groups}), seconds=86_400)
        connection.execute("SELECT ragspine.assume(%s)", [grant])

    @contextmanager
    def _reading(self) -> Iterator[psycopg.Connection[Any]]:
        with self._reader.transaction():
            self._assume(self._reader)
            yield self._reader

    @contextmanager
    def _scanning(self) -> Iterator[psycopg.Connection[Any]]:
        with self._owner.transaction(force_rollback=True):
            self._owner.execute("DELETE FROM ragspine.posting_segment")
            self._assume(self._owner)
            yield self._owner


def _rounded(of: dict[str, float]) -> dict[str, float]:
    return {part: round(value, 3) for part, value in of.items()}


if __name__ == "__main__":
    main()
