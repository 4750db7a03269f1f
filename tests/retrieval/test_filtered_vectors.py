"""The vector leg under every kind of filter, by scan and by index, against a naive oracle and exact distances."""

import math
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.condition import OPERATORS
from ragspine_pg.contract.metadata import dump_json, freeze_metadata
from tests.filtering import oracle
from tests.filtering.strategies import DECLARED, filters, metadata
from tests.fixtures.models import WrittenModel, written_vector
from tests.fixtures.spine import Plant
from tests.retrieval.test_vector_leg import SMALL

ME = Access("filtered", {"user:me"})
NAMES = {*OPERATORS, "all_of", "any_of", "none_of"}
K = 10


@cache
def generated() -> tuple[list[dict[str, Any]], list[MetadataFilter]]:
    """Metadata of 280 documents and some 110 filters, the same in every run."""
    rows: list[dict[str, Any]] = []
    made: list[MetadataFilter] = []

    @settings(max_examples=14, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(metadata(), min_size=20, max_size=20), st.lists(filters(), min_size=8, max_size=8))
    def collect(some_rows: list[dict[str, Any]], some_filters: list[MetadataFilter]) -> None:
        rows.extend(some_rows)
        made.extend(some_filters)

    collect()
    return rows, made


def numbers(rng: random.Random) -> list[float]:
    """A vector at random, written without exponents."""
    return [round(rng.gauss(0, 1), 4) for _ in range(8)]


def filled(spine: RagSpine, rows: Sequence[dict[str, Any]], library_id: str) -> tuple[Library, list[list[float]]]:
    """A library of one document a row, with vectors at random; every fifth is somebody else's."""
    rng = random.Random(5)
    vectors = [numbers(rng) for _ in rows]
    library = spine.create_library("filtered", library_id, embedding=WrittenModel(8), fields=DECLARED)
    library.ingest(
        Document(f"d{n}", str(vector), metadata=row, readers={"user:other"} if n % 5 == 0 else None)
        for n, (row, vector) in enumerate(zip(rows, vectors, strict=True))
    )
    return library, vectors


def nearest(vectors: Sequence[list[float]], query: list[float], among: Sequence[int]) -> list[str]:
    """All of them, the nearest first."""

    def cosine(n: int) -> float:
        return sum(a * b for a, b in zip(vectors[n], query, strict=True)) / math.hypot(*vectors[n])

    return [f"d{n}" for n in sorted(among, key=lambda n: -cosine(n))]


def check(library: Library, vectors: list[list[float]], rows: Sequence[dict[str, Any]], strategies: set[str]) -> float:
    """Search under every filter; the share of the nearest that was found. Scans find exactly those."""
    texts = [dump_json(freeze_metadata(row)) for row in rows]
    rng = random.Random(6)
    found = wanted = 0
    seen: set[str] = set()
    for each in generated()[1]:
        query = numbers(rng)
        matching = [n for n, text in enumerate(texts) if n % 5 and oracle.truth(each.to_json(), text, DECLARED) is True]
        truth = nearest(vectors, query, matching)[:K]
        result = library.search(
            written_vector(query), access=ME, mode="vector", k=K, metadata_filter=each, explain=True
        )
        hits = [hit.document_id for hit in result.hits]
        assert result.trace is not None
        strategy = result.trace["libraries"][library.library_id]["strategy"]["vector"]
        assert set(hits) <= {f"d{n}" for n in matching}, each.to_json()
        assert len(hits) == len(truth), each.to_json()
        if strategy == "scan":
            assert hits == truth, each.to_json()
        seen.add(strategy)
        found += len(set(hits) & set(truth))
        wanted += len(truth)
    assert seen == strategies
    assert wanted > 3 * K
    return found / wanted


def test_every_operator_is_among_the_generated_filters() -> None:
    text = " ".join(each.to_json() for each in generated()[1])
    assert {name for name in NAMES if f'"{name}"' in text} == NAMES


def test_scans_find_exactly_the_nearest_that_match(spine: RagSpine) -> None:
    rows = generated()[0]
    library, vectors = filled(spine, rows, "scanned")
    assert check(library, vectors, rows, {"scan"}) == 1.0


def test_scans_find_exactly_the_nearest_that_match_has_teeth(fresh_spine: RagSpine) -> None:
    rows = generated()[0]
    library, vectors = filled(fresh_spine, rows, "scanned")
    widened = [{} if n == 7 else row for n, row in enumerate(rows)]
    with pytest.raises(AssertionError):
        check(library, vectors, widened, {"scan"})


def test_an_index_finds_the_nearest_that_match(fresh_spine: RagSpine, plant: Plant) -> None:
    for function in ("vector_leg_v1", "vector_index_ddl_v1"):
        plant(function, SMALL)
    rows = generated()[0]
    library, vectors = filled(fresh_spine, rows, "indexed")
    assert library.optimize().vector_index == "built"
    assert check(library, vectors, rows, {"scan", "hnsw"}) >= 0.99


@pytest.mark.soak
def test_an_index_of_more_rows_than_any_scan_reads_is_walked_page_by_page(fresh_spine: RagSpine) -> None:
    """The real threshold: 26,000 readable rows among 32,500, filters that leave all, many, or few of them."""
    number = 32_500
    rows = [{"year": n % 10} for n in range(number)]
    library, vectors = filled(fresh_spine, rows, "large")
    assert library.optimize().vector_index == "built"
    rng = random.Random(7)
    for below, strategy in ((None, "hnsw"), (9, "hnsw"), (2, "scan")):
        narrow = None if below is None else MetadataFilter.where("year", "lt", below)
        matching = [n for n in range(number) if n % 5 and (below is None or n % 10 < below)]
        for _ in range(3):
            query = numbers(rng)
            truth = nearest(vectors, query, matching)[:500]
            shown: list[str] = []
            cursor = None
            for _ in range(5):
                page = library.search(
                    str(query), access=ME, mode="vector", k=100, metadata_filter=narrow, after=cursor, explain=True
                )
                assert page.trace is not None
                assert page.trace["libraries"]["large"]["strategy"]["vector"] == strategy
                shown += [hit.document_id for hit in page.hits]
                cursor = page.cursor
                library.ingest([Document("other", f"{query}", readers={"user:other"}, metadata={"year": len(shown)})])
            assert len(shown) == len(set(shown)) == 500
            assert set(shown) <= {f"d{n}" for n in matching}
            share = len(set(shown) & set(truth)) / 500
            assert shown == truth if strategy == "scan" else share >= 0.95
