"""Doors under other names lead to the one search: the same bytes, the same rights."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg import (
    Access,
    AsyncHybridRetriever,
    AsyncNarrativeIndex,
    AsyncRagSpine,
    AsyncVectorRetriever,
    AsyncVectorStore,
    Cancellation,
    Capability,
    Document,
    EmbeddingTask,
    FilterExtractingRetriever,
    Fusion,
    HybridRetriever,
    MetadataFilter,
    MultiIndexRetriever,
    NarrativeIndex,
    NarrativeRetriever,
    RagSpine,
    RerankingRetriever,
    RetrievalContext,
    RetrievalQuery,
    SearchResult,
    VectorRetriever,
    VectorStore,
)
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.hashing import HashingModel
from ragspine_pg.errors import Cancelled, ConfigurationError, ModeUnavailable, QueryError
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine

ME = Access("doors", {"user:ann"})
STRANGER = Access("elsewhere", {"user:ann"})
QUERY = "warm tents for winter"
WARM = MetadataFilter.where("n", "gte", 3)
MODEL = HashingModel(64)
VECTOR = embed_checked(MODEL, [QUERY], EmbeddingTask.RETRIEVAL_QUERY).vectors[0]
SPACE = MODEL.space.fingerprint


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        for name in ("tents", "stoves"):
            spine.create_library("doors", name, embedding=MODEL, fields={"n": "number"}, exist_ok=True).ingest(
                [
                    Document(
                        f"{name}-{n}",
                        f"{name} number {n}: warm in winter {'tent ' * n}",
                        metadata={"n": n},
                        readers={"group:board"} if n == 5 else None,
                    )
                    for n in range(8)
                ]
            )
        spine.create_library("doors", "plain").ingest([Document("plain", "warm tents without a vector")])
        yield spine


HERE = ["tents", "stoves"]
DOORS: dict[str, Callable[[RagSpine], tuple[SearchResult, SearchResult]]] = {
    "vector": lambda s: (
        VectorRetriever(s).search(QUERY, access=ME, libraries=HERE, k=5, metadata_filter=WARM),
        s.search(QUERY, access=ME, libraries=HERE, k=5, metadata_filter=WARM, mode="vector"),
    ),
    "vector, bound": lambda s: (
        VectorRetriever(s).retriever(access=ME, libraries=HERE).retrieve(QUERY, metadata_filter=WARM, top_k=4),
        s.search(QUERY, access=ME, libraries=HERE, k=4, metadata_filter=WARM, mode="vector"),
    ),
    "hybrid": lambda s: (
        HybridRetriever(s).search(QUERY, access=ME, libraries=HERE, metadata_filter=WARM),
        s.search(QUERY, access=ME, libraries=HERE, metadata_filter=WARM, mode="hybrid"),
    ),
    "hybrid, weighed and fused": lambda s: (
        HybridRetriever(s, weights={"vector": 3}, fusion="convex").search(QUERY, access=ME, libraries="tents"),
        s.search(QUERY, access=ME, libraries="tents", mode="hybrid", weights={"vector": 3}, fusion="convex"),
    ),
    "hybrid, the call's own": lambda s: (
        HybridRetriever(s, weights={"vector": 3}).search(
            QUERY, access=ME, libraries="tents", weights=None, fusion=Fusion("rrf", {"lexical": 2})
        ),
        s.search(QUERY, access=ME, libraries="tents", mode="hybrid", fusion=Fusion("rrf", {"lexical": 2})),
    ),
    "index": lambda s: (
        NarrativeIndex(s.library("doors", "tents"), access=ME).retrieve(QUERY, metadata_filter=WARM, top_k=3),
        s.search(QUERY, access=ME, libraries="tents", k=3, metadata_filter=WARM),
    ),
    "index of a library without vectors": lambda s: (
        NarrativeIndex(s.library("doors", "plain"), access=ME).retrieve(QUERY),
        s.search(QUERY, access=ME, libraries="plain"),
    ),
    "a query as a value": lambda s: (
        s.retriever(access=ME, libraries=HERE).retrieve(
            RetrievalQuery(QUERY, 6, mode="hybrid", fusion="convex", expand="parent", weights={"lexical": 2}),
            RetrievalContext(),
        ),
        s.search(
            QUERY,
            access=ME,
            libraries=HERE,
            k=6,
            mode="hybrid",
            fusion="convex",
            expand="parent",
            weights={"lexical": 2},
        ),
    ),
    "a query that goes on": lambda s: (
        s.retriever(access=ME, libraries="tents").retrieve(
            RetrievalQuery(QUERY, 2, after=s.search(QUERY, access=ME, libraries="tents", k=2).cursor)
        ),
        s.search(
            QUERY, access=ME, libraries="tents", k=2, after=s.search(QUERY, access=ME, libraries="tents", k=2).cursor
        ),
    ),
    "store": lambda s: (
        VectorStore(s).search(
            VECTOR, query_space=SPACE, access=ME, query=QUERY, libraries=HERE, k=5, metadata_filter=WARM, min_score=-1
        ),
        s.search(QUERY, access=ME, libraries=HERE, k=5, metadata_filter=WARM, min_score=-1, mode="vector"),
    ),
    "vectors of a routed search": lambda s: (
        VectorRetriever(MultiIndexRetriever(s)).search(QUERY, access=ME, libraries=HERE),
        s.search(QUERY, access=ME, libraries=HERE, mode="vector"),
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_gives_the_bytes_of_the_search(built: RagSpine, door: str) -> None:
    found, expected = DOORS[door](built)
    assert found.hits
    assert found.to_json() == expected.to_json()
    assert all(hit.document_id not in ("tents-5", "stoves-5") for hit in found.hits)


def test_awaited_doors_give_the_same_bytes(built: RagSpine, database: Database) -> None:
    async def ask() -> list[str]:
        async with await AsyncRagSpine.open(database.reader_url, grant_key=database.grant_key) as spine:
            spine._models.known.add(MODEL)
            results = [
                await AsyncVectorRetriever(spine).search(QUERY, access=ME, libraries=HERE, k=5, metadata_filter=WARM),
                await AsyncVectorRetriever(spine)
                .retriever(access=ME, libraries=HERE)
                .retrieve(QUERY, metadata_filter=WARM, top_k=4),
                await AsyncHybridRetriever(spine).search(QUERY, access=ME, libraries=HERE, metadata_filter=WARM),
                await AsyncNarrativeIndex(spine.library("doors", "tents"), access=ME).retrieve(
                    QUERY, metadata_filter=WARM, top_k=3
                ),
                await AsyncVectorStore(spine).search(
                    VECTOR,
                    query_space=SPACE,
                    access=ME,
                    query=QUERY,
                    libraries=HERE,
                    k=5,
                    metadata_filter=WARM,
                    min_score=-1,
                ),
            ]
            return [result.to_json() for result in results]

    names = ["vector", "vector, bound", "hybrid", "index", "store"]
    assert asyncio.run(ask()) == [DOORS[name](built)[1].to_json() for name in names]


def test_the_store_gives_the_bytes_of_sql(built: RagSpine, database: Database) -> None:
    found = VectorStore(built).search(VECTOR, query_space=SPACE, access=ME, libraries=HERE, k=7)
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [built.grant(ME)])
        row = connection.execute(
            "SELECT ragspine.search_json('', k => 7, libraries => %s, query_embedding => %s, query_space => %s,"
            " mode => 'vector')",
            [HERE, vector_text(VECTOR), SPACE],
        ).fetchone()
    assert row is not None
    assert len(found.hits) == 7
    assert found.to_json() == row[0]
    assert found.usage.items == 0, "nothing was embedded"
    going_on = VectorStore(built).search(VECTOR, query_space=SPACE, access=ME, libraries=HERE, k=7, after=found.cursor)
    assert not {hit.chunk_id for hit in going_on.hits} & {hit.chunk_id for hit in found.hits}


@pytest.mark.parametrize(
    ("vector", "space", "match"),
    [
        (VECTOR, "0" * 32, "not the space of"),
        (VECTOR[:-1], SPACE, "64 dimensions"),
        ([0.0] * 64, SPACE, "not zero"),
        ([float("nan")] * 64, SPACE, "finite numbers"),
        ([1e39] * 64, SPACE, "finite numbers"),
        ([], SPACE, "finite numbers"),
        ("0.5" * 64, SPACE, "finite numbers"),
        (None, SPACE, "finite numbers"),
        (VECTOR, "a\0b", "query_space"),
    ],
)
def test_what_is_no_vector_of_the_space_is_refused(built: RagSpine, vector: Any, space: str, match: str) -> None:
    with pytest.raises(QueryError, match=match):
        VectorStore(built).search(vector, query_space=space, access=ME, libraries="tents")


def test_a_mode_that_cannot_run_is_refused_by_its_door(built: RagSpine) -> None:
    for door in (VectorRetriever(built), HybridRetriever(built)):
        with pytest.raises(ModeUnavailable):
            door.search(QUERY, access=ME, libraries="plain")
        with pytest.raises(QueryError, match="alone"):
            door.search(QUERY, access=ME, mode="economy")
        with pytest.raises(QueryError, match="alone"):
            door.retriever(access=ME).retrieve(RetrievalQuery(QUERY, mode="auto"))


def test_doors_without_access_are_shut(built: RagSpine) -> None:
    library = built.library("doors", "tents")
    with pytest.raises(ConfigurationError, match="access"):
        NarrativeIndex(library, access=None)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="access"):
        VectorStore(built).search(VECTOR, query_space=SPACE, access=None)  # type: ignore[arg-type]
    for access in (STRANGER, Access("doors")):
        assert NarrativeIndex(library, access=access).retrieve(QUERY).hits == ()
        assert VectorRetriever(built).search(QUERY, access=access).hits == ()
        assert HybridRetriever(built).search(QUERY, access=access).hits == ()
        assert VectorStore(built).search(VECTOR, query_space=SPACE, access=access).hits == ()


def test_a_query_s_filter_is_never_replaced(built: RagSpine) -> None:
    bound = built.retriever(access=ME, libraries="tents")
    query = RetrievalQuery(QUERY, metadata_filter=WARM)
    small = MetadataFilter.where("n", "lte", 4)
    found = bound.retrieve(query, metadata_filter=small)
    assert {hit.metadata["n"] for hit in found.hits} == {3, 4}
    assert len(bound.retrieve(query, top_k=2).hits) == 2


def test_a_query_is_checked_when_it_is_made() -> None:
    for arguments in ({"top_k": 0}, {"text": None}, {"mode": "fast"}, {"weights": {"lexical": -1}}, {"expand": "x"}):
        with pytest.raises(QueryError):
            RetrievalQuery(**{"text": QUERY, **arguments})  # type: ignore[arg-type]
    weights = {"lexical": 1.0}
    query = RetrievalQuery(QUERY, weights=weights)
    weights["lexical"] = 9
    assert query.weights == {"lexical": 1.0}


def test_a_bound_search_takes_a_context(built: RagSpine) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(Cancelled):
        built.retriever(access=ME).retrieve(QUERY, RetrievalContext(cancellation=cancellation))


def test_every_retriever_describes_itself(built: RagSpine) -> None:
    described = {
        "retriever": built,
        "vector": VectorRetriever(built),
        "hybrid": HybridRetriever(built),
        "narrative_index": NarrativeIndex(built.library("doors", "tents"), access=ME),
        "vector_store": VectorStore(built),
        "multi_index": MultiIndexRetriever(built),
        "reranking": RerankingRetriever(built),
        "filter_extracting": FilterExtractingRetriever(built),
    }
    for name, retriever in described.items():
        told: Capability = retriever.capability  # type: ignore[attr-defined]
        assert (told.name, told.read_only) == (name, True)
        assert told.version
    assert VectorRetriever(built).retriever(access=ME).capability.name == "vector"
    assert isinstance(described["narrative_index"], NarrativeRetriever)
