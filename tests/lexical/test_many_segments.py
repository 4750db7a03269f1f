"""Thousands of chunks: segments, runs, a tail, a class that is scanned; found as by a scan, to the last bit."""

import random

import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.ingest import pipeline
from tests.fixtures.database import Database
from tests.fixtures.spine import plant_function
from tests.ingest.shelf import Shelf
from tests.lexical.sealed import assert_same_as_a_scan, segments

# Frequencies as Zipf has them: the first words are in nearly every text, the last in none or one.
WORDS = [f"w{n}" for n in range(600)]
WEIGHTS = [1 / (n + 2) for n in range(600)]
CALLERS = [["user:any"], ["group:x"]]
# From one document in two to one in a thousand, which is too few to be met among candidates.
FILTERS = [f'{{"field": "{field}", "op": "lt", "value": {value}}}' for field in "nm" for value in (500, 100, 10, 1)]


def documents(draw: random.Random, first: int, number: int) -> list[Document]:
    """Every tenth is for a group alone; texts of few words, so that many score the same."""
    return [
        Document(
            f"d{n}",
            " ".join(draw.choices(WORDS, WEIGHTS, k=draw.randint(2, 14))),
            readers=("group:x",) if n % 10 == 0 else None,
            metadata={"n": n * 7919 % 1000, "m": n * 7919 % 1000},  # declared, and not
        )
        for n in range(first, first + number)
    ]


def queries(draw: random.Random, number: int) -> list[str]:
    return [" ".join(draw.choices(WORDS, WEIGHTS, k=draw.randint(1, 7))) for _ in range(number)]


@pytest.fixture(scope="module")
def shelf(database: Database) -> Shelf:
    """Sealed in two runs, with a tail, and stale postings of documents that were deleted or relabelled since."""
    draw = random.Random(7)
    shelf = Shelf(database, chunker="whole", fields={"n": "number"})
    for first, number in ((0, 9200), (9200, 2000), (11200, 150)):
        shelf.ingest_all(documents(draw, first, number))
        if number > 1000:
            shelf.run(pipeline.optimize(shelf.tenant, shelf.library))
    for n in draw.sample(range(11200), 60):
        shelf.delete(f"d{n}")
    for n in draw.sample(range(11200), 60):
        if shelf.owner("SELECT FROM ragspine.document WHERE document_id = %(id)s", id=f"d{n}"):
            shelf.relabel(f"d{n}", readers=draw.choice([(), ("group:x",)]))
    return shelf


def check(shelf: Shelf) -> int:
    """The core."""
    draw = random.Random(11)
    hits = sum(assert_same_as_a_scan(shelf, CALLERS, queries(draw, 25), k, [None]) for k in (1, 10, 100))
    return hits + assert_same_as_a_scan(shelf, CALLERS, queries(draw, 6), 10, FILTERS)


def test_what_is_found_is_what_a_scan_finds(shelf: Shelf) -> None:
    assert segments(shelf) >= 4
    assert check(shelf) > 4000


def test_postings_are_those_of_the_chunks(shelf: Shelf) -> None:
    assert [found for found in shelf.audit() if "postings" in found.rule] == []


FAULTS = {
    "bounds of what is left out are forgotten": (
        "search_postings_v1",
        ("found_sums[next_] + slack >= ", "found_sums[next_] >= "),
    ),
    "segments are cut without them": ("search_postings_v1", ("threshold * (1 - margin) - slack", "threshold")),
    "half the places are looked at": ("sum_segments_v1", ("WHERE p.position <= 4000", "WHERE p.position <= 2000")),
    "candidates end at the first lot": (
        "search_postings_v1",
        ("EXIT WHEN kept IS NULL AND (NOT sieved OR cardinality(chunk_nos) >= k);", "EXIT;"),
    ),
    "what gives up has found enough": ("search_postings_v1", ("gave_up := true;", "gave_up := false;")),
    "the first batch is the last": ("search_postings_v1", ("EXIT WHEN last_ = ", "EXIT WHEN last_ > 0 OR last_ = ")),
    "chunks of the lists are left out of the sums": (
        "sum_segments_v1",
        ("WHERE s.listed IS NOT NULL", "WHERE s.listed IS NULL"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_finding_as_a_scan_does_has_teeth(shelf: Shelf, database: Database, vector_schema: str, fault: str) -> None:
    name, edit = FAULTS[fault]
    plant_function(database, name, edit, vector_schema=vector_schema)
    try:
        with pytest.raises(AssertionError):
            check(shelf)
    finally:
        plant_function(database, name, vector_schema=vector_schema)
