"""Ten thousand searches leave the memory where it was."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from ragspine_pg import Document
from tests.async_client import flat
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine

GROWTH_KIB = 8 * 1024

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="how large a process is, is read from /proc"),
]


@pytest.fixture(scope="module")
def filled(database: Database) -> Database:
    with open_spine(database) as spine:
        documents = [Document(f"n{n}", f"return an order of number {n} " + "words " * 200) for n in range(100)]
        spine.create_library("soak", "notes", embedding="hashing").ingest(documents)
    return database


def growth(run: Callable[[str, str, int], int], database: Database, searches: int) -> int:
    """In a process of its own: what other tests freed would hide what leaks."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(run, database.reader_url, database.grant_key, searches).result()


@pytest.mark.parametrize("run", [flat.blocking, flat.awaited])
def test_memory_stays_flat_over_ten_thousand_searches(filled: Database, run: Callable[[str, str, int], int]) -> None:
    assert growth(run, filled, 10_000) < GROWTH_KIB


def test_memory_stays_flat_over_ten_thousand_searches_has_teeth(filled: Database) -> None:
    """A fifth of the searches is enough to see a result that is kept."""
    assert growth(flat.keeping, filled, 2_000) > GROWTH_KIB
