"""Whether an ingest takes longer where many other tenants are in the database.

Databases of one server hold a number of tenants, each with a library of one or two documents, made by the facade's own
calls. Then, in turns over the databases:

- ``one``: a tenant of its own gets one new document into a library that holds twenty; every round another document.
- ``bulk``: a new tenant gets 5,000 documents in one call; ``again``: the same call once more, which changes nothing.

What is reported is the time in each database as a multiple of that in the one with a single tenant.
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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ragspine_pg import Document, Library, RagSpine
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.ingest import IngestReport

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402

WORDS = [f"word{n}" for n in range(3000)]


def main() -> None:
    """Run the benchmark, print it, and write ``results/many_tenants.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, nargs="+", default=[1, 100, 2000], help="for one document")
    parser.add_argument("--bulk-tenants", type=int, nargs="+", default=[1, 500], help="for many documents")
    parser.add_argument("--documents", type=int, default=5000, help="how many these are")
    parser.add_argument("--rounds", type=int, default=40, help="turns with one document")
    parser.add_argument("--bulk-rounds", type=int, default=2, help="turns with many documents, a new tenant each")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/many_tenants.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        with EmbeddedServer.open(Path(folder) / "home") as server, ExitStack() as stack:
            sizes = sorted({*options.tenants, *options.bulk_tenants})
            spines = {size: stack.enter_context(filled(server, size)) for size in sizes}
            found = {
                "one": one({size: spines[size] for size in options.tenants}, options.rounds),
                **bulk({size: spines[size] for size in options.bulk_tenants}, options.bulk_rounds, options.documents),
            }
    result = {
        "benchmark": "ingest/many_tenants",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "documents": options.documents,
        "milliseconds": found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")


@contextmanager
def filled(server: EmbeddedServer, tenants: int) -> Iterator[RagSpine]:
    """A facade on a database of that many tenants; the first has twenty documents, the others one or two."""
    with database(server, f"tenants_{tenants}") as spine:
        started = time.perf_counter()
        draw = random.Random(tenants)
        for number in range(tenants):
            library = spine.create_library(f"tenant-{number}", "notes", chunker="whole")
            library.ingest([document(draw, n) for n in range(20 if number == 0 else 1 + number % 2)])
        print(f"{tenants:,} tenants made in {time.perf_counter() - started:.1f} s")
        yield spine


def document(draw: random.Random, number: int) -> Document:
    """Sixty words, a third of the documents open to all members and the others to one of seven readers."""
    readers = {f"user:{number % 7}"} if number % 3 else None
    return Document(f"d{number}", " ".join(draw.choices(WORDS, k=60)), readers=readers)


def one(spines: dict[int, RagSpine], rounds: int) -> dict[str, Any]:
    """One new document each round, in every database."""
    draw = random.Random(7)
    times: dict[int, list[float]] = {size: [] for size in spines}
    for turn in range(rounds + 3):
        new = document(draw, 100 + turn)
        for size, spine in spines.items():
            took, report = timed(spine.library("tenant-0", "notes"), [new])
            assert report.added == 1
            if turn >= 3:  # the first ones warm up
                times[size].append(took)
    return table("one new document", times)


def bulk(spines: dict[int, RagSpine], rounds: int, number: int) -> dict[str, Any]:
    """Many documents of a new tenant each round, and the same call again, in every database."""
    draw = random.Random(8)
    first: dict[int, list[float]] = {size: [] for size in spines}
    again: dict[int, list[float]] = {size: [] for size in spines}
    for turn in range(rounds):
        documents = [document(draw, n) for n in range(number)]
        for size, spine in spines.items():
            library = spine.create_library(f"large-{turn}", "notes", chunker="whole")
            for times in (first, again):
                took, report = timed(library, documents)
                assert (report.unchanged if times is again else report.added) == number
                times[size].append(took)
    return {
        "bulk": table(f"{number:,} new documents", first),
        "again": table(f"{number:,} unchanged documents", again),
    }


def timed(library: Library, documents: list[Document]) -> tuple[float, IngestReport]:
    """Milliseconds of an ingest, and what it reports."""
    started = time.perf_counter()
    report = library.ingest(documents)
    return (time.perf_counter() - started) * 1000, report


def table(title: str, times: dict[int, list[float]]) -> dict[str, Any]:
    """Median and ratio to the smallest database by number of tenants, printed as well."""
    base = statistics.median(times[min(times)])
    print(f"\n{title}\n{'tenants':>9}{'median ms':>12}{'slowest ms':>12}{'ratio':>8}")
    figures = {}
    for size, of in times.items():
        figures[str(size)] = figure = summary(of, base)
        print(f"{size:9,}{figure['median']:12.1f}{figure['slowest']:12.1f}{figure['ratio']:8.2f}")
    return figures


def summary(of: Sequence[float], base: float) -> dict[str, float]:
    """Median, slowest, and the median as a multiple of ``base``."""
    median = statistics.median(of)
    return {"median": round(median, 2), "slowest": round(max(of), 2), "ratio": round(median / base, 3)}


if __name__ == "__main__":
    main()
