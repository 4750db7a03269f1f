"""What access classes cost a search.

- ``tenants``: two databases hold the same 1,000 tenants with three libraries each; in one every library has a single
  access class, in the other fifty. One tenant is ingested; the others are copies of its rows under other numbers.
- ``library``: libraries of the same documents, all readable for who asks, in one class or in up to a class a document;
  the last once more with statistics of the library (``10000 library``).

Searches go through the facade, in turns over the contestants, each turn another tenant or query. What is reported is
the median of each and its multiple of the one with a single class.
"""

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ragspine_pg import Access, Document, MetadataFilter, make_embedding_model
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.ingest import Statistics
from ragspine_pg.schema.tables import grant_key, metadata, revoked_grant

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402

WORDS = [f"word{n}" for n in range(3000)]
WEIGHTS = [1 / (n + 5) for n in range(3000)]
EVERYONE = "group:all"
SHIFTED = {
    "tenant_no",
    "library_no",
    "field_no",
    "acl_class_no",
    "document_no",
    "space_no",
    "version_no",
    "window_no",
    "chunk_no",
}
STRIDE = 100_000


def main() -> None:
    """Run the benchmark, print it, and write ``results/class_costs.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=100, help="in each of a tenant's three libraries")
    parser.add_argument("--classes", type=int, default=50, help="in each of them")
    parser.add_argument("--library-documents", type=int, default=20_000, help="in each library of the second part")
    parser.add_argument("--library-classes", type=int, nargs="+", default=[1, 50, 1000, 10_000])
    parser.add_argument("--part", choices=["tenants", "library"], help="only this one")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/class_costs.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        with EmbeddedServer.open(Path(folder) / "home") as server:
            found = {}
            if options.part != "library":
                found["tenants"] = tenants(server, options.tenants, options.documents, options.classes, options.rounds)
            if options.part != "tenants":
                found["library"] = library(server, options.library_documents, options.library_classes, options.rounds)
    result = {
        "benchmark": "access/class_costs",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "options": {name: value for name, value in vars(options).items() if name != "output"},
        "milliseconds": found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")


def corpus(number: int, classes: int, seed: int) -> list[Document]:
    """Documents of thirty words, dealt out over ``classes``; everyone reads them all."""
    draw = random.Random(seed)
    return [
        Document(
            f"d{n}",
            " ".join(draw.choices(WORDS, WEIGHTS, k=30)),
            readers={EVERYONE} if classes == 1 else {EVERYONE, f"user:{n % classes}"},
            metadata={"n": n},
        )
        for n in range(number)
    ]


def tenants(server: EmbeddedServer, number: int, documents: int, classes: int, rounds: int) -> dict[str, Any]:
    """Searches of random tenants: where their libraries have one class each, and where they have ``classes``."""
    with ExitStack() as stack:
        spines = {}
        for count in (1, classes):
            name = f"tenants_{count}"
            spines[count] = spine = stack.enter_context(database(server, name))
            for library_id in ("one", "two", "three"):
                made = spine.create_library(
                    "tenant-0",
                    library_id,
                    chunker="whole",
                    embedding=make_embedding_model("hashing"),
                    fields={"n": "number"},
                )
                made.ingest(corpus(documents, count, seed=len(library_id)))
            copied = copy_tenant(server.url("superuser", name), number)
            print(f"{number:,} tenants with {count} classes a library: {copied:,} rows copied")
        kinds: dict[str, Callable[[int, str, Access], Any]] = {
            "economy": lambda c, q, a: spines[c].search(q, access=a, mode="economy"),
            "hybrid": lambda c, q, a: spines[c].search(q, access=a, mode="hybrid"),
            "filtered": lambda c, q, a: spines[c].search(
                q, access=a, mode="economy", metadata_filter=MetadataFilter.where("n", "lt", documents // 10)
            ),
        }
        return {
            kind: turns(
                f"{number:,} tenants, {kind}",
                rounds,
                {
                    str(c): lambda q, n, c=c, ask=ask: ask(c, q, Access(f"tenant-{n % number}", {EVERYONE}))
                    for c in spines
                },
            )
            for kind, ask in kinds.items()
        }


def copy_tenant(url: str, number: int) -> int:
    """Copies all rows of the one tenant there is, ``number`` - 1 times, under other numbers; returns how many rows."""
    rows = 0
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")  # copies of rows that were checked
        for table in metadata.sorted_tables:
            if table in (grant_key, revoked_grant):  # of no tenant
                continue
            names = [column.name for column in table.columns]
            shifted = [
                sql.SQL("'tenant-' || n" if name == "tenant" else "{0} + n * {1}" if name in SHIFTED else "{0}").format(
                    sql.Identifier(name), STRIDE
                )
                for name in names
            ]
            rows += connection.execute(
                sql.SQL(
                    "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM {}, generate_series(1, {}) AS n"
                ).format(
                    sql.Identifier("ragspine", table.name),
                    sql.SQL(", ").join(map(sql.Identifier, names)),
                    sql.SQL(", ").join(shifted),
                    sql.Identifier("ragspine", table.name),
                    number - 1,
                )
            ).rowcount
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return rows


def library(server: EmbeddedServer, documents: int, classes: list[int], rounds: int) -> dict[str, Any]:
    """Searches of one library, of the same documents in more and more classes; and rows of statistics of each."""
    kept: dict[str, tuple[int, Statistics]] = {str(count): (count, "class") for count in classes}
    kept[f"{max(classes)} library"] = max(classes), "library"
    rows: dict[str, Any] = {}
    with database(server, "library") as spine:
        for name, (count, statistics_of) in kept.items():
            started = time.perf_counter()
            made = spine.create_library(
                name, "notes", chunker="whole", fields={"n": "number"}, statistics=statistics_of
            )
            made.ingest(corpus(documents, count, seed=1))
            took = time.perf_counter() - started
            with psycopg.connect(server.url("owner", "library")) as connection:
                counted = connection.execute(
                    "SELECT count(*) FROM ragspine.lexeme_stat JOIN ragspine.tenant AS t USING (tenant_no)"
                    " WHERE t.tenant = %s",
                    [name],
                ).fetchone()
            rows[name] = {"ingest_seconds": round(took, 1), "lexeme_stat": counted[0] if counted else 0}
            print(f"{documents:,} documents, {name}: {took:.1f} s, {rows[name]['lexeme_stat']:,} rows of lexeme_stat")
        filters = {"": None, ", 10 %": documents // 10, ", 1 %": documents // 100}
        return {"stored": rows} | {
            f"search{share}": turns(
                f"{documents:,} documents{share}",
                rounds,
                {
                    c: lambda q, _, c=c, few=few: spine.search(
                        q,
                        access=Access(c, {EVERYONE}),
                        metadata_filter=None if few is None else MetadataFilter.where("n", "lt", few),
                    )
                    for c in kept
                },
            )
            for share, few in filters.items()
        }


def turns(title: str, rounds: int, contestants: Mapping[str, Callable[[str, int], Any]]) -> dict[str, Any]:
    """Each contestant in turn, on the same query; median milliseconds of each, and ratios to the first, printed too."""
    draw = random.Random(7)
    times: dict[str, list[float]] = {classes: [] for classes in contestants}
    found = 0
    for turn in range(rounds + 3):
        query = " ".join(draw.choices(WORDS, WEIGHTS, k=4))
        answers = set()
        for classes, ask in contestants.items():
            started = time.perf_counter()
            result = ask(query, turn * 37)
            took = (time.perf_counter() - started) * 1000
            found += len(result.hits)
            answers.add(tuple((hit.document_id, hit.score) for hit in result.hits))
            if turn >= 3:  # the first ones warm up
                times[classes].append(took)
        assert len(answers) == 1, "rights let everyone read all, so classes change no result"
    assert found >= rounds, "queries that find nothing measure nothing"
    base = statistics.median(next(iter(times.values())))
    print(f"\n{title}\n{'classes':>15}{'median ms':>12}{'p95 ms':>9}{'ratio':>8}")
    figures = {}
    for classes, of in times.items():
        figures[classes] = figure = {
            "median": round(statistics.median(of), 2),
            "p95": round(statistics.quantiles(of, n=20)[-1], 2),
            "ratio": round(statistics.median(of) / base, 3),
        }
        print(f"{classes:>15}{figure['median']:12.1f}{figure['p95']:9.1f}{figure['ratio']:8.2f}")
    return figures


if __name__ == "__main__":
    main()
