"""The vector leg: scores, ties, spaces, dimensions, and when the index serves."""

import math
import random

import psycopg
import pytest

from ragspine_pg import Access, Distance, Document, FilterCondition, MetadataFilter, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.errors import QueryError
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel, written_vector
from tests.fixtures.spine import Plant

ME = Access("vectors", {"user:me"})
SMALL = ("index_from CONSTANT bigint := 20000", "index_from CONSTANT bigint := 50")


def shelf(spine: RagSpine, request: pytest.FixtureRequest, model: WrittenModel, *vectors: list[float]) -> Library:
    """A library of one document a vector, called d0, d1, ..."""
    library = spine.create_library("vectors", request.node.name, embedding=model)
    library.ingest(Document(f"d{n}", f"text {n} {vector}") for n, vector in enumerate(vectors))
    return library


def scores(library: Library, query: str, **options: object) -> dict[str, float]:
    found = library.search(query, access=ME, mode="vector", **options)  # type: ignore[arg-type]
    return {hit.document_id: hit.score for hit in found.hits}


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        # Of (3, 4), (6, 8) and (-4, 3) to the query (3, 4).
        (Distance.COSINE, [1.0, 1.0, 0.0]),
        (Distance.INNER_PRODUCT, [25.0, 50.0, 0.0]),
        (Distance.L2, [1.0, 1 / (1 + 5.0), 1 / (1 + math.sqrt(50))]),
    ],
)
def test_larger_is_better_by_every_distance(
    spine: RagSpine, request: pytest.FixtureRequest, distance: Distance, expected: list[float]
) -> None:
    model = WrittenModel(2, distance)
    library = shelf(spine, request, model, [3, 4], [6, 8], [-4, 3])
    found = scores(library, "[3, 4]")
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert [found[f"d{n}"] for n in range(3)] == pytest.approx(expected, abs=1e-6)


def test_an_identical_vector_scores_the_maximum(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    rng = random.Random(1)
    vectors = [[rng.gauss(0, 1) for _ in range(8)] for _ in range(50)]
    for distance in (Distance.COSINE, Distance.L2):
        model = WrittenModel(8, distance)
        library = spine.create_library("vectors", f"{request.node.name}-{distance}", embedding=model)
        library.ingest(Document(f"d{n}", str(vector)) for n, vector in enumerate(vectors))
        best = library.search(written_vector(vectors[7]), access=ME, mode="vector", k=1).hits[0]
        assert best.document_id == "d7"
        assert best.score == pytest.approx(1.0, abs=1e-6)


def test_ties_are_by_chunk_id_and_all_of_them_are_weighed(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    library = shelf(spine, request, WrittenModel(), *[[1.0, 0.0]] * 200)
    every = [hit.chunk_id for hit in library.search("[1, 0]", access=ME, mode="vector", k=200).hits]
    assert every == sorted(every)
    assert len(every) == 200
    few = [hit.chunk_id for hit in library.search("[1, 0]", access=ME, mode="vector", k=5).hits]
    assert few == every[:5]


def test_least_scores_are_those_of_the_leg(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    library = shelf(spine, request, WrittenModel(), [1, 0], [1, 1], [0, 1])
    assert set(scores(library, "[1, 0]", min_score=0.5)) == {"d0", "d1"}
    assert set(scores(library, "[1, 0]", min_score={"vector": 0.9})) == {"d0"}
    with pytest.raises(QueryError, match="two run"):
        library.search("text [1, 0]", access=ME, mode="hybrid", min_score=0.5)
    fused = library.search("text [1, 0]", access=ME, mode="hybrid", min_score={"lexical": 100, "vector": 0.5})
    assert [(hit.document_id, set(hit.ranks)) for hit in fused.hits] == [("d0", {"vector"}), ("d1", {"vector"})]


@pytest.mark.parametrize(
    ("embedding", "space", "message"),
    [
        ([1, 0], "0" * 32, "query_space is not"),
        ([1, 0], None, "query_space is not"),
        ([1, 0, 0], "own", "2 dimensions"),
        ([0, 0], "own", "not zero"),
    ],
)
def test_a_vector_of_another_space_is_refused(
    spine: RagSpine,
    database: Database,
    request: pytest.FixtureRequest,
    embedding: list[float],
    space: str | None,
    message: str,
) -> None:
    model = WrittenModel()
    library = shelf(spine, request, model, [1, 0])
    with psycopg.connect(database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [spine.grant(ME)])
        with pytest.raises(psycopg.Error, match=message) as refused:
            connection.execute(
                "SELECT * FROM ragspine.search_vector(%(embedding)s, %(space)s, libraries => %(libraries)s)",
                {
                    "libraries": [library.library_id],
                    "space": model.space.fingerprint if space == "own" else space,
                    "embedding": vector_text([float(number) for number in embedding]),
                },
            )
    assert refused.value.sqlstate == "RS006"


@pytest.mark.parametrize("dimensions", [2000, 2001, 3072, 4000, 4001])
def test_long_vectors_are_indexed_or_scanned_with_a_warning(
    fresh_spine: RagSpine, plant: Plant, dimensions: int
) -> None:
    for function in ("vector_leg_v1", "vector_index_ddl_v1"):
        plant(function, SMALL)
    model = WrittenModel(dimensions)
    library = fresh_spine.create_library("vectors", "long", embedding=model)
    (version,) = library.versions()
    assert bool(version.warnings) == (dimensions > 4000)
    library.ingest(Document(f"d{n}", f"{[n, 100 - n]}") for n in range(1, 61))
    assert library.optimize().vector_index == ("not_needed" if dimensions > 4000 else "built")
    assert library.optimize().vector_index == ("not_needed" if dimensions > 4000 else "present")
    result = library.search("[30, 70]", access=ME, mode="vector", k=3, explain=True)
    assert result.hits[0].document_id == "d30"
    assert {hit.document_id for hit in result.hits} == {"d29", "d30", "d31"}
    assert result.trace is not None
    used = result.trace["libraries"]["long"]["strategy"]["vector"]
    assert used == ("scan" if dimensions > 4000 else "hnsw")


def cloud(spine: RagSpine, hidden: int, seen: int) -> tuple[Library, list[list[float]]]:
    """A library with an index, and the vectors of what may be read, at random."""
    rng = random.Random(3)
    library = spine.create_library("vectors", "cloud", embedding=WrittenModel(8), fields={"n": "number"})
    vectors = [[rng.gauss(0, 1) for _ in range(8)] for _ in range(seen + hidden)]
    library.ingest(
        Document(f"d{n}", str(vector), metadata={"n": n}, readers=None if n < seen else {"user:other"})
        for n, vector in enumerate(vectors)
    )
    assert library.optimize().vector_index == "built"
    return library, vectors[:seen]


def nearest(vectors: list[list[float]], query: list[float], k: int, below: int | None = None) -> list[str]:
    def cosine(vector: list[float]) -> float:
        return sum(a * b for a, b in zip(vector, query, strict=True)) / math.hypot(*vector)

    numbered = list(enumerate(vectors))[:below]
    return [f"d{n}" for n, _ in sorted(numbered, key=lambda item: -cosine(item[1]))[:k]]


def test_the_index_serves_from_a_number_of_readable_rows_on(fresh_spine: RagSpine, plant: Plant) -> None:
    for function in ("vector_leg_v1", "vector_index_ddl_v1"):
        plant(function, SMALL)
    library, vectors = cloud(fresh_spine, hidden=2000, seen=400)
    rng = random.Random(4)
    found = wanted = 0
    for _ in range(30):
        query = [rng.gauss(0, 1) for _ in range(8)]
        for below in (None, 300, 40, 3, 0):
            narrow = None if below is None else MetadataFilter([FilterCondition("n", "lt", below)])
            result = library.search(
                written_vector(query), access=ME, mode="vector", metadata_filter=narrow, explain=True
            )
            truth = nearest(vectors, query, 10, below)
            hits = [hit.document_id for hit in result.hits]
            assert len(hits) == len(truth)
            assert all(int(hit[1:]) < (400 if below is None else below) for hit in hits)
            assert result.trace is not None
            strategy = result.trace["libraries"]["cloud"]["strategy"]["vector"]
            assert strategy == ("hnsw" if below in (None, 300) else "scan")
            if strategy == "scan":
                assert hits == truth
            found += len(set(hits) & set(truth))
            wanted += len(truth)
    assert found / wanted >= 0.99
    # Somebody who reads fewer is scanned for, whatever the library holds.
    library.ingest([Document("own", "[9, 9]", readers={"user:new"})])
    for n in range(400):
        library.relabel(f"d{n}", readers={"user:other"})
    trace = library.search("[9, 9]", access=Access("vectors", {"user:new"}), mode="vector", explain=True).trace
    assert trace is not None
    assert trace["libraries"]["cloud"]["strategy"]["vector"] == "scan"


def test_an_index_that_finds_too_few_is_not_believed(fresh_spine: RagSpine, plant: Plant) -> None:
    for function in ("vector_leg_v1", "vector_index_ddl_v1"):
        plant(function, SMALL)
    library, vectors = cloud(fresh_spine, hidden=2000, seen=400)
    # An iterative scan that gives up at once, as it would on a graph of millions.
    plant(
        "vector_leg_v1",
        SMALL,
        ("scan_tuples CONSTANT integer := 200000", "scan_tuples CONSTANT integer := 1"),
        ("ef_search CONSTANT integer := 400", "ef_search CONSTANT integer := 1"),
    )
    query = [1.0, *[0.1] * 7]
    result = library.search(written_vector(query), access=ME, mode="vector", k=50, explain=True)
    assert [hit.document_id for hit in result.hits] == nearest(vectors, query, 50)
    assert result.trace is not None
    assert result.trace["libraries"]["cloud"]["strategy"]["vector"] == "scan"
