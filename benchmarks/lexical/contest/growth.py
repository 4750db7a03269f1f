"""How latencies, builds and sizes grow with the corpus: exponents by least squares, and a plot."""

from collections.abc import Mapping
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import Any

SETS = ("given", "drawn")

Curves = Mapping[str, Mapping[str, Mapping[int, float]]]
"""By what is measured and by contestant: a value for each number of chunks."""


def curves(corpora: Mapping[str, Any]) -> dict[str, dict[str, dict[int, float]]]:
    """What grows, of the results of several corpora; a search's part is the mean of the sets'."""
    found: dict[str, dict[str, dict[int, float]]] = {}

    def put(what: str, name: str, chunks: int, value: float) -> None:
        if value > 0:
            found.setdefault(what, {}).setdefault(name, {})[chunks] = value

    for corpus in corpora.values():
        chunks = corpus["chunks"]
        for k, sets in corpus["searches"].items():
            for part in ("mean", "p99"):
                for name in dict.fromkeys(name for of in SETS for name in sets.get(of, {})):
                    values = [sets[of][name]["milliseconds"][part] for of in SETS if name in sets.get(of, {})]
                    put(f"{part} of a search, k {k}, ms", name, chunks, sum(values) / len(values))
        for name, seconds in corpus["seconds"].items():
            put("build, s", name, chunks, seconds)
        for name, size in corpus["bytes"].items():
            put("index, MB", name, chunks, size / 1e6)
    return found


def exponents(found: Curves) -> dict[str, dict[str, float]]:
    """e of value = a * chunks ** e for each curve of at least two points."""
    return {
        what: {
            name: round(linear_regression([log(n) for n in points], [log(v) for v in points.values()]).slope, 3)
            for name, points in of.items()
            if len(points) > 1
        }
        for what, of in found.items()
    }


def print_growth(found: Curves) -> None:
    """A table for each thing measured: the sizes, and the exponent."""
    fitted = exponents(found)
    for what, of in found.items():
        sizes = sorted({n for points in of.values() for n in points})
        print(f"\n{what:44}" + "".join(f"{n:>12,}" for n in sizes) + f"{'exponent':>10}")
        for name, points in of.items():
            cells = "".join(f"{points[n]:12.2f}" if n in points else f"{'':12}" for n in sizes)
            slope = fitted[what].get(name)
            print(f"{name:44}{cells}{'' if slope is None else f'{slope:10.2f}'}")


def plot(found: Curves, path: Path) -> bool:
    """Draw the curves as SVG, both axes logarithmic; false where there is no matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    from matplotlib import pyplot

    fitted = exponents(found)
    figure, axes = pyplot.subplots(len(found), 1, figsize=(8, 5 * len(found)), squeeze=False)
    for (what, of), (axis,) in zip(found.items(), axes, strict=True):
        for name, points in of.items():
            if name in fitted[what]:
                label = f"{name} (exponent {fitted[what][name]:.2f})"
                axis.loglog(list(points), list(points.values()), marker="o", label=label)
        axis.set_xlabel("chunks")
        axis.set_ylabel(what)
        axis.legend(fontsize="x-small")
    figure.tight_layout()
    figure.savefig(path)
    return True
