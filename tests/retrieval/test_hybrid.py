"""Both legs together: modes, fusion, a leg that fails, filters and windows."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from ragspine_pg import (
    Access,
    Deadline,
    Document,
    FilterCondition,
    Fusion,
    MetadataFilter,
    RagSpine,
    RetrievalContext,
)
from ragspine_pg.client.library import Library
from ragspine_pg.errors import DeadlineExceeded, EmbeddingUnavailable, ModeUnavailable, QueryError
from ragspine_pg.retrieval.fuse import convex_fuse, rrf_fuse
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel
from tests.fixtures.spine import Plant, open_spine

ME = Access("hybrid", {"user:me"})

# Its numbers are its vector, and no words of the documents.
QUERY = "fox [15]"

TEXTS = {
    "words": "fox fox fox [-1, 0.1]",
    "both": "fox [1, 0.2]",
    "meaning": "vixen [1, 0]",
    "neither": "stone [0, 1]",
}


@pytest.fixture(scope="module")
def model() -> WrittenModel:
    return WrittenModel()


@pytest.fixture(scope="module")
def library(database: Database, model: WrittenModel) -> Iterator[Library]:
    with open_spine(database) as spine:
        made = spine.create_library("hybrid", "animals", embedding=model, fields={"kind": "string"})
        made.ingest(Document(name, text, metadata={"kind": name[0]}) for name, text in TEXTS.items())
        yield made


@pytest.fixture(autouse=True)
def _sound(model: WrittenModel) -> Iterator[None]:
    yield
    model.failure = None


def ids(result) -> list[str]:
    return [hit.document_id for hit in result.hits]


def test_each_mode_runs_its_legs(library: Library, model: WrittenModel) -> None:
    economy = library.search(QUERY, access=ME, mode="economy")
    assert ids(economy) == ["words", "both"]
    vector = library.search(QUERY, access=ME, mode="vector")
    assert ids(vector) == ["meaning", "both", "neither", "words"]
    hybrid = library.search(QUERY, access=ME, mode="hybrid")
    assert ids(hybrid)[0] == "both"
    assert set(ids(hybrid)) == set(TEXTS)
    assert [set(hit.ranks) for hit in hybrid.hits if hit.document_id == "both"] == [{"lexical", "vector"}]
    assert (economy.mode, vector.mode, hybrid.mode) == ("economy", "vector", "hybrid")
    assert library.search(QUERY, access=ME).to_json() == library.search(QUERY, access=ME, mode="auto").to_json()
    assert library.search(QUERY, access=ME).mode == "hybrid"


def test_fusion_is_that_of_the_public_functions(library: Library) -> None:
    lexical = library.search(QUERY, access=ME, mode="economy").hits
    vector = library.search(QUERY, access=ME, mode="vector").hits
    rankings = [[(hit.chunk_id, hit.score) for hit in leg] for leg in (lexical, vector)]
    for weights in (None, {"lexical": 3}, {"vector": 0.5, "lexical": 0}):
        shares = [float((weights or {}).get(leg, 1)) for leg in ("lexical", "vector")]
        fused = library.search(QUERY, access=ME, mode="hybrid", weights=weights)
        expected = rrf_fuse([[item for item, _ in ranking] for ranking in rankings], weights=shares)
        assert [(hit.chunk_id, hit.score) for hit in fused.hits] == expected
        convex = library.search(QUERY, access=ME, mode="hybrid", weights=weights, fusion="convex")
        scaled = [share / sum(shares) for share in shares]
        assert [(hit.chunk_id, hit.score) for hit in convex.hits] == convex_fuse(rankings, weights=scaled)


def test_a_version_has_defaults_of_its_own(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    model = WrittenModel()
    profile = {"fusion": {"method": "convex", "weights": {"vector": 0}}}
    made = spine.create_library("hybrid", request.node.name, embedding=model, profile=profile)
    made.ingest(Document(name, text) for name, text in TEXTS.items())
    asked: Any = {"access": ME, "mode": "hybrid"}
    by_default = made.search(QUERY, **asked)
    by_word = made.search(QUERY, fusion=Fusion("convex", {"vector": 0}), **asked)
    assert by_default.hits == by_word.hits
    assert ids(made.search(QUERY, **asked))[0] == "words"
    assert ids(made.search(QUERY, weights={"lexical": 0}, **asked))[0] == "meaning"


def test_auto_searches_each_library_as_it_can(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    tenant = request.node.name
    me = Access(tenant, {"user:me"})
    spine.create_library(tenant, "with", embedding=WrittenModel()).ingest([Document("v", "vixen [1, 0]")])
    spine.create_library(tenant, "without").ingest([Document("f", "fox"), Document("s", "stone")])
    result = spine.search(QUERY, access=me)
    assert result.mode == "hybrid"
    assert {(hit.library_id, hit.document_id) for hit in result.hits} == {("with", "v"), ("without", "f")}
    with pytest.raises(ModeUnavailable, match="without"):
        spine.search(QUERY, access=me, mode="hybrid")
    assert spine.search(QUERY, access=me, libraries=["without"]).mode == "economy"
    weighed = spine.search(QUERY, access=me, fusion=Fusion(libraries={"without": 5}))
    assert weighed.hits[0].library_id == "without"
    with pytest.raises(QueryError, match="weigh 0"):
        spine.search(QUERY, access=me, fusion=Fusion(libraries={"with": 0, "without": 0}))


def test_a_library_that_gets_vectors_meanwhile_is_noticed(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    tenant = request.node.name
    me = Access(tenant, {"user:me"})
    spine.create_library(tenant, "one").ingest([Document("f", "fox")])
    assert spine.search(QUERY, access=me).mode == "economy"
    with open_spine(database) as other:  # another process, as far as this one's memory goes
        model = WrittenModel()
        other.create_library(tenant, "two", embedding=model).ingest([Document("v", "vixen [1, 0]")])
        spine._models.known.add(model)
    result = spine.search(QUERY, access=me)
    assert result.mode == "hybrid"
    assert {hit.document_id for hit in result.hits} == {"f", "v"}


def test_a_model_that_is_no_longer_asked_for_may_be_dead(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    model = WrittenModel()
    made = spine.create_library("hybrid", request.node.name, embedding=model)
    made.ingest([Document("f", "fox [1, 0]")])
    assert made.search(QUERY, access=ME).mode == "hybrid"
    with open_spine(database) as other:
        rebuilt = other.library("hybrid", made.library_id)
        rebuilt.publish(rebuilt.rebuild(embedding="none").version)
    model.failure = EmbeddingUnavailable("the model's server does not answer")
    result = made.search(QUERY, access=ME)
    assert (result.mode, ids(result)) == ("economy", ["f"])


def test_nothing_can_be_embedded_of_a_blank_query(library: Library) -> None:
    auto = library.search(" ", access=ME)
    assert (auto.mode, auto.hits, auto.reason) == ("economy", (), "no_searchable_term")
    assert library.search(" ", access=ME, mode="vector").hits == ()


def test_a_filter_holds_in_both_legs_and_in_windows(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    made = spine.create_library("hybrid", request.node.name, embedding=WrittenModel(), chunker="parent_child")
    made.ingest(Document(name, text, metadata={"best": name == "both"}) for name, text in TEXTS.items())
    narrow = MetadataFilter([FilterCondition("best", "eq", False)])
    for mode in ("economy", "vector", "hybrid"):
        free = made.search(QUERY, access=ME, mode=mode, expand="parent")
        assert "both" in ids(free)
        result = made.search(QUERY, access=ME, mode=mode, expand="parent", metadata_filter=narrow)
        assert ids(result) == [name for name in ids(free) if name != "both"]
        assert all("0.2" not in hit.window_text for hit in result.hits)
        assert any(hit.window_text for hit in result.hits)


def test_a_leg_that_fails_is_an_error_unless_the_rest_will_do(library: Library, model: WrittenModel) -> None:
    model.failure = EmbeddingUnavailable("the model's server does not answer")
    with pytest.raises(EmbeddingUnavailable):
        library.search(QUERY, access=ME)
    partial = RetrievalContext(allow_partial=True)
    result = library.search(QUERY, access=ME, context=partial)
    assert ids(result) == ["words", "both"]
    assert result.warnings == ("vector_leg_failed:embedding_unavailable",)
    economy = library.search(QUERY, access=ME, mode="economy")
    assert (result.mode, result.hits) == ("economy", economy.hits), "it is the search that took place"
    with pytest.raises(EmbeddingUnavailable):  # there is no other leg
        library.search(QUERY, access=ME, mode="vector", context=partial)


def test_a_vector_leg_that_takes_too_long_costs_only_itself(fresh_spine: RagSpine, plant: Plant) -> None:
    made = fresh_spine.create_library("hybrid", "slow", embedding=WrittenModel())
    made.ingest(Document(name, text) for name, text in TEXTS.items())
    assert ids(made.search(QUERY, access=ME))[0] == "both"
    plant(
        "vector_leg_v1",
        ("  PERFORM ragspine.check_search_v1", "  PERFORM pg_sleep(20);\n  PERFORM ragspine.check_search_v1"),
    )
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        made.search(QUERY, access=ME, context=RetrievalContext(Deadline.after(1)))
    partial = RetrievalContext(Deadline.after(4), allow_partial=True)
    result = made.search(QUERY, access=ME, context=partial)
    assert ids(result) == ["words", "both"]
    assert result.warnings == ("vector_leg_failed:deadline_exceeded",)
    assert time.monotonic() - started < 15
