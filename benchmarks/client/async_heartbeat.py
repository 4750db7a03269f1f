"""How long other tasks wait while an awaited ingest of 10,000 chunks (model ``hashing``) runs beside them.

A task sleeps for a millisecond, again and again, and notes by how much it woke too late. First alone, for what the
machine itself does to it; then during the ingest, for each of several chunkers. The goal is that it is never longer
than 50 ms. Where other programs want the processors, the thread that computes is made to wait while it holds Python's
lock, and the loop with it: read the load average, which is printed, first.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from ragspine_pg import AsyncRagSpine, Document
from ragspine_pg.config import ServiceConfig

ROOT = Path(__file__).resolve().parents[2]
GOAL_MILLISECONDS = 50
TICK_SECONDS = 0.001


def main() -> None:
    """Run the benchmark, print it, and write ``results/async_heartbeat.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--chunkers", nargs="+", default=["default", "layout"])
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/async_heartbeat.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        found = asyncio.run(measure(Path(folder) / "home", options.chunks, options.chunkers))
    result = {
        "benchmark": "client/async_heartbeat",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "goal_ms": GOAL_MILLISECONDS,
        "waits_ms": found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")


async def measure(home: Path, chunks: int, chunkers: list[str]) -> dict[str, dict[str, Any]]:
    """The waits alone, and during an ingest by each chunker."""
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{'':16}{'chunks':>8}{'seconds':>9}{'p50 ms':>9}{'p99 ms':>9}{'longest ms':>12}")
    found: dict[str, dict[str, Any]] = {}
    waits, _ = await beside(asyncio.sleep(2))
    found["alone"] = told("alone", 0, 2.0, waits)
    async with await AsyncRagSpine.open(config=ServiceConfig.load(home=home)) as spine:
        for chunker in chunkers:
            library = await spine.create_library("bench", chunker, chunker=chunker, embedding="hashing")
            await library.ingest(documents(1, 50))  # connects, and loads what is loaded once
            began = time.perf_counter()
            waits, report = await beside(library.ingest(documents(2, chunks)))
            if report.chunks < chunks:
                raise SystemExit(f"{chunker}: {report.chunks} chunks are fewer than {chunks}")
            found[chunker] = told(chunker, report.chunks, time.perf_counter() - began, waits)
    return found


async def beside(work: Any) -> tuple[list[float], Any]:
    """The waits of a task that ticks while ``work`` runs, in seconds and in order of length; and what it gave."""
    waits: list[float] = []

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            waits.append(time.perf_counter() - began - TICK_SECONDS)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    done = await work
    ticking.cancel()
    return sorted(waits), done


def documents(seed: int, chunks: int) -> list[Document]:
    """Documents of some paragraphs, enough for that many chunks and a few more by every chunker."""
    chance = random.Random(seed)
    words = [f"word{number}" for number in range(8000)]

    def paragraph() -> str:
        return ". ".join(" ".join(chance.choices(words, k=12)).capitalize() for _ in range(8)) + "."

    return [
        Document(f"d{seed}-{number}", "# Heading\n\n" + "\n\n".join(paragraph() for _ in range(5)))
        for number in range(chunks // 4 + 1)
    ]


def told(name: str, chunks: int, seconds: float, waits: list[float]) -> dict[str, Any]:
    """A line of the table, in milliseconds."""
    p50, p99, longest = (
        round(1000 * wait, 1) for wait in (waits[len(waits) // 2], waits[-len(waits) // 100], waits[-1])
    )
    over = "" if longest <= GOAL_MILLISECONDS else f"  over the goal of {GOAL_MILLISECONDS}"
    print(f"{name:16}{chunks:8,}{seconds:9.1f}{p50:9.1f}{p99:9.1f}{longest:12.1f}{over}", flush=True)
    return {"chunks": chunks, "seconds": round(seconds, 2), "p50": p50, "p99": p99, "longest": longest}


if __name__ == "__main__":
    main()
