"""Contestants take turns over the same queries; what is made of their times."""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

OURS = "ours"
PARTS = ("mean", "p50", "p90", "p95", "p99")


@dataclass(frozen=True)
class Contestant:
    """One that searches: the number of its results for a query and a k, within a session that is not timed.

    ``slow`` ones have fewer rounds, of fewer queries. ``said``: what it does, and does not do, for its time.
    """

    name: str
    said: str
    search: Callable[[str, int], int]
    session: Callable[[], AbstractContextManager[Any]] = nullcontext
    slow: bool = False


@dataclass(frozen=True)
class Effort:
    """How often: rounds of all queries, and for slow contestants rounds of every so many-eth one."""

    rounds: int
    slow_rounds: int
    slow_queries: int


def take_turns(
    title: str, contestants: Sequence[Contestant], queries: Sequence[str], k: int, effort: Effort
) -> dict[str, Any]:
    """Times of A B C, A B C, ..., in milliseconds, and how many times a contestant's ours took, round by round.

    Where a contestant was asked only some queries, ours counts on the same ones.
    """
    every = {c.name: range(0, len(queries), step(len(queries), effort) if c.slow else 1) for c in contestants}
    times: dict[str, list[dict[int, float]]] = {c.name: [] for c in contestants}
    for contestant in contestants:  # warm
        with contestant.session():
            chosen = list(every[contestant.name])[: 3 if contestant.slow else None]
            found = sum(contestant.search(queries[n], k) for n in chosen)
            assert found >= len(chosen), f"{contestant.name} finds {found} results of {len(chosen)} queries"
    for turn in range(effort.rounds):
        began = time.perf_counter()
        for contestant in contestants:
            if turn < effort.slow_rounds or not contestant.slow:
                with contestant.session():
                    times[contestant.name].append(
                        {n: timed(contestant.search, queries[n], k) for n in every[contestant.name]}
                    )
        print(
            f"    {title}, k {k}: round {turn + 1} of {effort.rounds} in {time.perf_counter() - began:.1f} s",
            flush=True,
        )
    return {name: summary(of, times[OURS]) for name, of in times.items() if of}


def step(number: int, effort: Effort) -> int:
    """Every how manieth query a slow contestant is asked."""
    return max(1, number // max(1, effort.slow_queries))


def timed(search: Callable[[str, int], int], query: str, k: int) -> float:
    """Milliseconds of one search."""
    started = time.perf_counter()
    search(query, k)
    return (time.perf_counter() - started) * 1000


def summary(rounds: Sequence[Mapping[int, float]], ours: Sequence[Mapping[int, float]]) -> dict[str, Any]:
    """Mean and percentiles over all rounds; and ours as a multiple of them, over all and by round."""
    pairs = list(zip(rounds, ours, strict=False))
    own = figures([of[n] for _, of in pairs for n in rounds[0]])
    its = figures([value for of in rounds for value in of.values()])
    return {
        "queries": len(rounds[0]),
        "milliseconds": {part: round(value, 3) for part, value in its.items()},
        "ours_times": {part: round(own[part] / its[part], 3) for part in PARTS},
        "ours_times_by_round": [
            round(statistics.fmean(base[n] for n in of) / statistics.fmean(of.values()), 3) for of, base in pairs
        ],
    }


def figures(values: Sequence[float]) -> dict[str, float]:
    """Mean and percentiles."""
    if len(values) == 1:
        return dict.fromkeys(PARTS, values[0])
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {"mean": statistics.fmean(values), **{f"p{n}": cuts[n - 1] for n in (50, 90, 95, 99)}}


def print_turns(title: str, found: Mapping[str, Any]) -> None:
    """The table of one set of queries."""
    head = "".join(f"{part:>9}" for part in PARTS)
    print(f"\n{title}\n{'milliseconds':15}{'queries':>8}{head}   ours / it: mean   p95   p99   mean by round")
    for name, of in found.items():
        cells = "".join(f"{of['milliseconds'][part]:9.2f}" for part in PARTS)
        ratios = "".join(f"{of['ours_times'][part]:6.2f}" for part in ("mean", "p95", "p99"))
        rounds = " ".join(f"{ratio:.2f}" for ratio in of["ours_times_by_round"])
        print(f"{name:15}{of['queries']:8}{cells}           {ratios}   {rounds}")


def print_summary(title: str, searches: Mapping[str, Mapping[str, Any]]) -> None:
    """Ours as a multiple of each other one, for every set and k: means, p95 and p99."""
    names = list(dict.fromkeys(name for sets in searches.values() for of in sets.values() for name in of))
    print(f"\n{title}: mean of ours in ms, and ours as a multiple of each: mean / p95 / p99")
    print(f"{'':26}{OURS:>8}" + "".join(f"{name:>22}" for name in names[1:]))
    for k, sets in searches.items():
        for of, found in sets.items():
            cells = [
                " / ".join(f"{found[name]['ours_times'][part]:.2f}" for part in ("mean", "p95", "p99"))
                if name in found
                else ""
                for name in names[1:]
            ]
            mean = found[OURS]["milliseconds"]["mean"]
            print(f"{f'{of}, k {k}':26}{mean:8.2f}" + "".join(f"{cell:>22}" for cell in cells))


class Stopwatch:
    """Seconds of the parts of a build, each printed as it ends."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Takes the time of a block."""
        started = time.perf_counter()
        yield
        self.add(name, time.perf_counter() - started)

    def add(self, name: str, seconds: float) -> None:
        """Keeps a time that was taken elsewhere."""
        self.seconds[name] = round(seconds, 2)
        print(f"    {name}: {seconds:.1f} s", flush=True)
