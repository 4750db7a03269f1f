"""A title's words count as often as the profile says, in frequency and in length, and saturate once (BM25F)."""

import random
from collections import Counter
from typing import Any

import pytest

from ragspine_pg import Access, Document, InMemoryLexicalIndex, RagSpine
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant
from tests.ingest.shelf import Shelf

ME = Access("titled", {"user:any"})
WORDS = ["ash", "bay", "elm", "fig", "fir", "oak", "owl", "fox", "yew", "ivy"]
DRAW = random.Random(3)
DOCUMENTS = [
    Document(
        f"d{n}",
        " ".join(DRAW.choices(WORDS, k=DRAW.randint(0, 9))) or "ash",
        title=" ".join(DRAW.choices(WORDS, k=n % 4)),
    )
    for n in range(60)
]
QUERIES = ["oak", "owl fox", "ash bay elm fig"]


def expected(weight: int) -> dict[str, dict[str, float]]:
    """By query and document, worked out in Python."""
    bags = {d.id: Counter((d.title + " ").split() * weight + d.text.split()) for d in DOCUMENTS}
    index = InMemoryLexicalIndex(bags, pivot=8)
    return {query: dict(index.search(Counter(query.split()), 1000)) for query in QUERIES}


def found(spine: RagSpine, library: str) -> dict[str, dict[str, float]]:
    ask: dict[str, Any] = {"access": ME, "libraries": library, "k": 1000}
    return {query: {hit.document_id: hit.score for hit in spine.search(query, **ask).hits} for query in QUERIES}


def check(spine: RagSpine) -> None:
    """The core: a library made with a weight, and one rebuilt with it."""
    options: dict[str, Any] = {"analyzer": "simple", "chunker": "whole"}
    made = spine.create_library(ME.tenant, "made", profile={"title_weight": 3, "pivot": 8}, **options)
    made.ingest(DOCUMENTS)
    changed = spine.create_library(ME.tenant, "changed", profile={"pivot": 8}, **options)
    changed.ingest(DOCUMENTS)
    for query, scores in expected(1).items():
        assert found(spine, "changed")[query] == pytest.approx(scores, rel=1e-6)
    changed.publish(changed.rebuild(title_weight=3).version)
    for library in ("made", "changed"):
        for query, scores in expected(3).items():
            assert found(spine, library)[query] == pytest.approx(scores, rel=1e-6)
    assert expected(1) != expected(3)
    changed.publish(changed.rebuild(b=0.75).version)  # what is not named stays
    assert found(spine, "changed") == found(spine, "made")
    changed.publish(changed.rebuild(title_weight=1).version)
    assert found(spine, "changed")["oak"] == pytest.approx(expected(1)["oak"], rel=1e-6)


def test_a_title_counts_as_often_as_the_profile_says(fresh_spine: RagSpine) -> None:
    check(fresh_spine)


def test_counting_titles_has_teeth(fresh_spine: RagSpine, plant: Plant) -> None:
    plant(
        "analyze_chunk_v1",
        (
            "pg_catalog.repeat(title OPERATOR(pg_catalog.||) E'\\n', title_weight)",
            "(title OPERATOR(pg_catalog.||) E'\\n')",
        ),
    )
    with pytest.raises(AssertionError):
        check(fresh_spine)


def test_what_is_kept_of_a_weighted_title_holds_in_an_audit(database: Database) -> None:
    shelf = Shelf(database, chunker="whole", statistics="library", profile={"title_weight": 4, "pivot": "measured"})
    shelf.ingest_all(DOCUMENTS[:20])
    assert shelf.audit() == []
