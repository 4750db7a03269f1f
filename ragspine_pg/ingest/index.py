"""Puts the chunks of the planned documents into a version: lexemes, statistics, impacts, windows, vectors."""

from itertools import chain

from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import analyse, embed, measure, statistics, write
from ragspine_pg.ingest.progress import Meter
from ragspine_pg.ingest.target import Target

BULK = 200
"""From this many chunks on, the planner's statistics are watched while they are written."""


def index(target: Target, meter: Meter, after_chunk: int, *, measured: bool) -> Flow[None]:
    """Write the staged chunks; ``measured``: under a length pivot that is measured with them.

    What was removed from the version must be in the collected statistics by now.
    """
    bulk = after_chunk >= BULK
    for first, after in analyse.slices(0, after_chunk, 20_000):
        yield from statistics.count_lexemes(first, after)
        meter.report("lexemes", after, after_chunk)
    yield from statistics.number_lexemes(target)
    batch_no = yield from statistics.append_statistics(target)
    pivot, moved = target.pivot, False
    if measured:
        pivot, moved = yield from measure.measure_pivot(target)
    if moved:
        meter.report("reweigh", 0)
        yield from measure.reweigh(target, pivot)
    # A short first slice: the checks of foreign keys are planned once, and better with statistics.
    head = min(1000, after_chunk)
    for first, after in chain(analyse.slices(0, head), analyse.slices(head, after_chunk, 10_000)):
        yield from write.write_chunks(target, pivot, first, after)
        if target.space_no is not None:
            yield from embed.write_staged(target, first, after)
        if bulk:
            yield from write.refresh_planner(target)
        meter.report("chunks", after, after_chunk)
    # Asking costs 5 ms: a bulk write asks before and after every slice, a small one now and then.
    if not bulk and batch_no % 16 == 0:
        yield from write.refresh_planner(target)
