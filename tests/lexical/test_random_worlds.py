"""Random queries over random worlds: the same hits, in the same order, with the same scores to the bit, as a scan."""

from collections.abc import Iterable
from itertools import count

import pytest

from ragspine_pg.ingest import seal
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant
from tests.lexical.sealed import assert_same_as_a_scan
from tests.lexical.worlds import World, shapes

pytestmark = pytest.mark.usefixtures("some_wait")


@pytest.fixture
def some_wait(monkeypatch: pytest.MonkeyPatch, eagerly_sealed: None) -> None:
    """What an ingest leaves is sealed now and then, in blocks and lists of different sizes."""
    monkeypatch.setattr(seal, "DUE", 400)
    monkeypatch.setattr(seal, "FREQUENT", 6)


def check(database: Database, seeds: Iterable[int], documents: int, queries: int) -> tuple[int, int]:
    """The core: until so many queries were asked, a hundred of each world; how many of them, and how many hits."""
    asked = hits = 0
    seen = dict.fromkeys(("segments", "runs", "tail"), 0)
    for seed in seeds:
        world = World(database, seed, documents)
        for name, number in shapes(world.shelf).items():
            seen[name] = max(seen[name], number)
        for _ in range(10):
            drawn = [world.query() for _ in range(10)]
            hits += assert_same_as_a_scan(world.shelf, [world.caller()], drawn, world.k(), world.filters())
            asked += len(drawn)
        if asked >= queries:
            break
    assert seen["segments"] > 3, "nothing was sealed"
    assert seen["runs"] > 3, "nothing is in several runs"
    assert seen["tail"] > 0, "nothing is in a tail"
    return asked, hits


def test_random_queries_find_what_a_scan_finds(database: Database) -> None:
    asked, hits = check(database, (3, 4), 60, 200)
    assert asked == 200
    assert hits > 1000


def test_random_queries_have_teeth(fresh_database: Database, plant: Plant) -> None:
    plant("sum_segments_v1", ("WHERE p.position <= 4000", "WHERE p.position <= 20"))
    with pytest.raises(AssertionError):
        check(fresh_database, (3, 4), 60, 200)


@pytest.mark.soak
def test_ten_thousand_random_queries_find_what_a_scan_finds(database: Database) -> None:
    asked, hits = check(database, count(100), 600, 10_000)
    assert asked >= 10_000
    assert hits > 100_000
