"""Which runs a seal merges: few runs at any time, and no chunk sealed again too often."""

import itertools
import math

import hypothesis.strategies as st
from hypothesis import given

from ragspine_pg.ingest.seal import GROWTH, SEAL_FROM, Unsealed, plan_run


def unsealed(tail: int, sizes: list[int], gone: int = 0) -> Unsealed:
    """A class whose runs have these sizes, and of whose sealed chunks so many are gone."""
    return Unsealed(1, sum(sizes) + tail - gone, tail, list(range(len(sizes))), sizes, len(sizes))


def test_a_small_class_is_left_to_the_scan() -> None:
    assert plan_run(unsealed(SEAL_FROM - 1, [])) is None
    assert plan_run(unsealed(SEAL_FROM, [])) == []


def test_nothing_is_sealed_anew_where_nothing_came_and_little_is_gone() -> None:
    assert plan_run(unsealed(0, [9000], gone=3000)) is None
    assert plan_run(unsealed(0, [9000], gone=3001)) == [0]


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=300))
def test_runs_stay_few_and_chunks_are_sealed_a_logarithmic_number_of_times(tails: list[int]) -> None:
    sizes: list[int] = []
    work = waiting = 0
    for came in tails:
        waiting += came
        found = unsealed(waiting, sizes)
        merged = plan_run(found)
        if merged is None:
            assert found.chunks < SEAL_FROM
            continue
        kept = len(sizes) - len(merged)
        assert list(merged) == list(range(kept, len(sizes))), "the newest, in their order"
        sizes = [*sizes[:kept], sum(sizes[kept:]) + waiting]
        work += sizes[-1]
        waiting = 0
        assert all(old >= GROWTH * new for old, new in itertools.pairwise(sizes))
    total = sum(sizes)
    assert total + waiting == sum(tails)
    if total:
        levels = math.log(total, GROWTH) + 1
        assert len(sizes) <= levels + 1
        assert work <= (levels + 1) * GROWTH * total
