"""Whether judged collections are searched as well as their texts and vectors allow, in every mode.

Each collection is ingested once, with the vectors that its folder brings (``precomputed:NAME``, chunker ``whole``), and
searched as ``economy``, ``vector``, ``hybrid`` by reciprocal rank and ``hybrid`` by the convex sum, through the facade.
Beside each figure stands what bm25s, numpy and the two fusions give on the same texts and vectors; a cell that is more
than 0.01 below it is marked, and the script then fails, unless the reason is known and stands in ``REASONS``. Where
vectors are given for some of the queries, all modes search those. The length that is usual is measured, as bm25s does.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragspine_pg import Library, RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.evaluation import Dataset, evaluate, load_dataset
from ragspine_pg.evaluation.precomputed import PREFIX, PrecomputedModel

ROOT = Path(__file__).resolve().parents[2]
TENANT = "bench"
ALLOWED = 0.01
MODES: dict[str, dict[str, str]] = {
    "economy": {"mode": "economy"},
    "vector": {"mode": "vector"},
    "hybrid, rrf": {"mode": "hybrid", "fusion": "rrf"},
    "hybrid, convex": {"mode": "hybrid", "fusion": "convex"},
}


@dataclass(frozen=True)
class Collection:
    """A judged set: its analyzer, its vectors, and the nDCG@10 known for each of ``MODES``."""

    name: str
    analyzer: str
    vectors: str
    known: tuple[float, float, float, float]


COLLECTIONS = [
    Collection("scifact", "english", "minilm", (0.679, 0.645, 0.715, 0.733)),
    Collection("cranfield", "english", "minilm", (0.360, 0.374, 0.404, 0.407)),
    Collection("cisi", "english", "minilm", (0.395, 0.421, 0.446, 0.452)),
    Collection("cacm", "english", "minilm", (0.500, 0.409, 0.540, 0.570)),
    Collection("cmrc2018-zh", "cjk", "e5", (0.982, 0.934, 0.971, 0.991)),
    Collection("xquad-zh", "cjk", "e5", (0.962, 0.939, 0.968, 0.972)),
    Collection("squad-it", "italian", "e5", (0.834, 0.814, 0.861, 0.861)),
    Collection("jsquad-ja", "cjk", "e5", (0.938, 0.897, 0.940, 0.952)),
]

REASONS = {
    ("cacm", "economy"): "one-letter lexemes: 13 of the 52 queries hold authors' initials or 'e.g.', which bm25s's"
    " words of two letters and more leave out; without them 0.508",
    ("cacm", "hybrid, convex"): "the same",
}


def main() -> None:
    """Run it, print the table, and write ``results/judged.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=Path, help="folder of the collections")
    parser.add_argument("--only", nargs="+", choices=[item.name for item in COLLECTIONS], help="some of them")
    parser.add_argument("--pivot", default="measured", help="measured, default, or a number of lexemes")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/judged.json")
    options = parser.parse_args()
    folder = datasets(options.datasets)
    if folder is None:
        print("no judged collections here: name their folder by --datasets or RAGSPINE_DATASETS")
        return
    print(f"{'nDCG@10 (known)':18}" + "".join(f"{mode:>20}" for mode in MODES) + f"{'queries':>9}{'s':>7}")
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as home:
        Path(home).chmod(0o711)  # the server of root runs under another account
        with RagSpine.open(config=ServiceConfig.load(home=Path(home) / "home", pool_size=1)) as spine:
            chosen = [item for item in COLLECTIONS if not options.only or item.name in options.only]
            found = {item.name: measured(spine, item, folder / item.name, options.pivot) for item in chosen}
    below = [(name, mode) for name, of in found.items() for mode, cell in of["modes"].items() if cell["below"]]
    result = {
        "benchmark": "quality/judged",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "pivot": options.pivot,
        "collections": found,
        "below": {", ".join(cell): REASONS.get(cell) for cell in below},
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")
    for cell in below:
        print(
            f"more than {ALLOWED} below what is known: {', '.join(cell)}: {REASONS.get(cell, 'and nobody knows why')}"
        )
    if set(below) - REASONS.keys():
        sys.exit("a figure is too low")


def datasets(given: Path | None) -> Path | None:
    """The folder of the collections, where there is one."""
    places = [given, os.environ.get("RAGSPINE_DATASETS"), ROOT.parent / "shared/datasets"]
    return next((Path(place) for place in places if place and Path(place).is_dir()), None)


def measured(spine: RagSpine, item: Collection, folder: Path, pivot: str) -> dict[str, Any]:
    """One line of the table: the collection in a library of its own, searched in each mode."""
    started = time.perf_counter()
    whole = load_dataset(folder)
    model = PrecomputedModel(whole, item.vectors)
    dataset = replace(whole, cases=tuple(filter(model.knows, whole.cases)))
    profile = {} if pivot == "default" else {"pivot": pivot if pivot == "measured" else float(pivot)}
    library = spine.create_library(
        TENANT, item.name, analyzer=item.analyzer, chunker="whole", embedding=model, profile=profile
    )
    library.ingest(dataset.documents())
    ingested = time.perf_counter() - started
    print(f"{item.name:18}", end="", flush=True)
    cells = {
        mode: figure(spine, dataset, library, item, mode, known) for mode, known in zip(MODES, item.known, strict=True)
    }
    seconds = time.perf_counter() - started
    print(f"{len(dataset.cases):9,}{seconds:7.1f}")
    library.drop()
    return {
        "dataset_version": dataset.version,
        "vectors": PREFIX + item.vectors,
        "queries": len(dataset.cases),
        "left_out": len(whole.cases) - len(dataset.cases),
        "ingest_seconds": round(ingested, 2),
        "seconds": round(seconds, 2),
        "modes": cells,
    }


def figure(
    spine: RagSpine, dataset: Dataset, library: Library, item: Collection, mode: str, known: float
) -> dict[str, Any]:
    """One figure of the table, and whether it is more than ``ALLOWED`` below the known one."""
    report = evaluate(spine, dataset, library=library, **MODES[mode])  # type: ignore[arg-type]
    assert report.mode == MODES[mode]["mode"]
    found = report.metrics["nDCG@10"]
    below = found < known - ALLOWED
    print(f"{f'{found:.4f} ({known:.3f})' + ('!' if below else ' '):>20}", end="", flush=True)
    return {
        "metrics": {name: round(value, 4) for name, value in report.metrics.items()},
        "latency_ms": {name: round(value, 2) for name, value in report.latency_ms.items()},
        "known": known,
        "below": below,
    }


if __name__ == "__main__":
    main()
