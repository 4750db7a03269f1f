"""What is found by postings is what the exact scan finds, to the bit, and what bm25s finds on the same lexemes.

Of the manuals where they are at hand (``RAGSPINE_DATASETS``), a sample here and all 168,000 chunks in ``make soak``;
else of text that is made up.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from benchmarks.lexical.contest.corpus import frequent_words, manuals, query_sets
from benchmarks.lexical.contest.memory import InMemory, Lexemes
from benchmarks.lexical.contest.ours import Ours
from benchmarks.lexical.contest.turns import Stopwatch
from ragspine_pg.connect.embedded import EmbeddedServer
from tests.fixtures.database import Database, clone
from tests.fixtures.listener import Listener
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import open_spine, plant_function

pytestmark = not_behind


@dataclass(frozen=True)
class Contest:
    """Ours and bm25s on the same texts, and what both are asked."""

    database: Database
    ours: Ours
    memory: InMemory
    queries: Sequence[str]


@contextmanager
def contest(server: EmbeddedServer, database: Database, chunks: int | None) -> Iterator[Contest]:
    """Of that many chunks, or all, sealed."""
    source, watch = manuals(), Stopwatch()
    texts = source.chosen(chunks)
    with open_spine(database) as spine:
        ours = Ours(server, spine, database.name)
        try:
            lexemes = Lexemes(texts, ours, watch)
            ours.load(texts, lexemes.mean_length, watch)
            memory = InMemory(lexemes, watch)
            sets = query_sets(source, frequent_words(texts, ours.tokens))
            queries = sorted({query for of in sets.values() for query in of})
            memory.expect(ours.tokens({query: query for query in queries}))
            yield Contest(database, ours, memory, queries)
        finally:
            ours.close()


def assert_parity(asked: Contest, every: int) -> int:
    """The core: of each of some queries the same hits and order by scan, and the scores of bm25s; how many hits."""
    hits = 0
    for query in asked.queries[::every]:
        hits += asked.ours.assert_as_scanned(query, (10, 100))
        asked.memory.assert_scores_as(asked.ours, query, 100)
    return hits


@pytest.fixture(scope="module")
def sample(server: EmbeddedServer, template: str, listener: Listener) -> Iterator[Contest]:
    # The server's own words stand in its manual.
    with listener.forgetting(), clone(server, template) as database, contest(server, database, 1600) as asked:
        yield asked


def test_a_sample_of_the_manuals_scores_as_bm25s_does(sample: Contest) -> None:
    assert assert_parity(sample, 8) > 2000


FAULTS = {
    "other smoothing": ("weigh_terms_v1", ("- t.chunk_count + 0.5)", "- t.chunk_count)")),
    "half the places are looked at": ("sum_segments_v1", ("WHERE p.position <= 4000", "WHERE p.position <= 800")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_sample_of_the_manuals_has_teeth(sample: Contest, vector_schema: str, fault: str) -> None:
    name, edit = FAULTS[fault]
    plant_function(sample.database, name, edit, vector_schema=vector_schema)
    try:
        with pytest.raises(AssertionError):
            assert_parity(sample, 8)
    finally:
        plant_function(sample.database, name, vector_schema=vector_schema)


@pytest.mark.soak
def test_all_the_manuals_score_as_bm25s_does(
    server: EmbeddedServer, fresh_database: Database, listener: Listener
) -> None:
    with listener.forgetting(), contest(server, fresh_database, None) as asked:
        assert assert_parity(asked, 1) > 15_000
