"""Random requests: fusing, weighing, cutting and paging give the same bytes in Python and in SQL."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, Document, EmbeddingTask, Fusion, MetadataFilter, RagSpine, make_embedding_model
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.embedding import embed_checked
from ragspine_pg.errors import QueryError
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

ME = Access("fusion", {"group:staff"})
WORDS = ["fox", "owl", "night", "moon", "stone", "river"]
MODEL = make_embedding_model("hashing")


def text(n: int) -> str:
    return " ".join(WORDS[(n * step) % 6] for step in range(1, 3 + n % 5)) + f" {n % 3}"


def fill(opened: RagSpine) -> None:
    for name, fusion in (("one", None), ("two", {"method": "convex"}), ("three", {"weights": {"lexical": 0.3}})):
        profile = None if fusion is None else {"fusion": fusion}
        library = opened.create_library("fusion", name, embedding="hashing", profile=profile)
        library.ingest(
            Document(
                f"{name}-{n}",
                text(n),
                metadata={"n": n},
                readers={"group:staff"} if n % 4 else {"group:others"},
            )
            for n in range(40)
        )
    opened.create_library("fusion", "wordy").ingest(Document(f"w{n}", WORDS[n % 6]) for n in range(9))


@pytest.fixture(scope="module")
def spine(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as opened:
        fill(opened)
        yield opened


@pytest.fixture(scope="module")
def reader(database: Database) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database.reader_url) as connection:
        yield connection


_weight = st.sampled_from([0, 0.1, 1, 2.5, 1 / 3, 7])
_fusion = st.fixed_dictionaries(
    {},
    optional={
        "method": st.sampled_from(["rrf", "convex"]),
        "weights": st.dictionaries(st.sampled_from(["lexical", "vector"]), _weight).filter(
            lambda weights: weights.get("lexical", 1) or weights.get("vector", 1)
        ),
        "libraries": st.dictionaries(st.sampled_from(["one", "two", "three", "wordy", "none"]), _weight.filter(bool)),
        "min_scores": st.dictionaries(st.sampled_from(["lexical", "vector"]), st.sampled_from([0.0, 0.2, 0.5, 1.5])),
    },
)
_request = st.fixed_dictionaries(
    {
        "query": st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
        "libraries": st.none() | st.lists(st.sampled_from(["one", "two", "three", "none"]), min_size=1, unique=True),
        "k": st.integers(1, 30),
        "mode": st.sampled_from(["auto", "economy", "vector", "hybrid"]),
        "fusion": st.none() | _fusion.filter(bool),
        "filter": st.none() | st.integers(0, 40).map(lambda n: {"field": "n", "op": "lt", "value": n}),
    }
).filter(lambda asked: asked["libraries"] is not None or asked["mode"] in ("auto", "economy"))


def python(spine: RagSpine, asked: dict[str, Any], after: str | None) -> Any:
    narrow = asked["filter"]
    return spine.search(
        asked["query"],
        access=ME,
        libraries=asked["libraries"],
        k=asked["k"],
        mode=asked["mode"],
        fusion=Fusion(**(asked["fusion"] or {})),
        metadata_filter=None if narrow is None else MetadataFilter.from_json(json.dumps(narrow)),
        after=after,
    )


def sql(spine: RagSpine, reader: psycopg.Connection[Any], asked: dict[str, Any], after: str | None) -> str:
    assert MODEL is not None
    embedded = asked["mode"] != "economy"
    vector = vector_text(embed_checked(MODEL, [asked["query"]], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
    with reader.transaction(force_rollback=True):
        reader.execute("SELECT ragspine.assume(%s)", [spine.grant(ME)])
        row = reader.execute(
            "SELECT ragspine.search_json(%(query)s, k => %(k)s, libraries => %(libraries)s, mode => %(mode)s,"
            " filter => %(filter)s::jsonb, query_embedding => %(embedding)s, query_space => %(space)s,"
            " fusion => %(fusion)s::jsonb, after => %(after)s)",
            {
                **asked,
                "filter": None if asked["filter"] is None else json.dumps(asked["filter"]),
                "fusion": None if asked["fusion"] is None else json.dumps(asked["fusion"]),
                "embedding": vector if embedded else None,
                "space": MODEL.space.fingerprint if embedded else None,
                "after": after,
            },
        ).fetchone()
        assert row is not None
        return str(row[0])


@given(asked=_request)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_python_and_sql_page_through_the_same_bytes(
    spine: RagSpine, reader: psycopg.Connection[Any], asked: dict[str, Any]
) -> None:
    after, pages = None, 0
    seen: set[tuple[str, str]] = set()
    while True:
        try:
            result = python(spine, asked, after)
        except QueryError as refused:
            with pytest.raises(psycopg.Error) as also:
                sql(spine, reader, asked, after)
            assert (also.value.sqlstate, also.value.diag.message_primary) == ("RS006", str(refused))  # noqa: PT017
            return
        assert result.to_json() == sql(spine, reader, asked, after)
        found = {(hit.library_id, hit.chunk_id) for hit in result.hits}
        assert not found & seen
        seen |= found
        after, pages = result.cursor, pages + 1
        if after is None or pages == 3:
            break


@pytest.mark.parametrize(
    "fusion",
    [
        {"method": ["rrf"]},
        {"method": []},
        {"method": None},
        {"min_scores": {"lexical": "1"}},
        {"min_scores": {"vector": None}},
        {"weights": {"lexical": 1e-7}},
        {"weights": {"lexical": -1}},
        {"libraries": {"one": 1e7}},
        {"min_scores": {"lexical": 1e-320}},
        {"weights": [1]},
        {"other": 1},
        [],
        "rrf",
    ],
)
def test_what_is_no_fusion_is_refused_by_its_own_error(
    spine: RagSpine, reader: psycopg.Connection[Any], fusion: Any
) -> None:
    asked = {"query": "fox", "libraries": ["one"], "k": 3, "mode": "hybrid", "filter": None, "fusion": fusion}
    with pytest.raises(psycopg.Error) as refused:
        sql(spine, reader, asked, None)
    assert refused.value.sqlstate == "RS006"
    if isinstance(fusion, dict) and fusion not in ({"method": None}, {"other": 1}):
        with pytest.raises(QueryError):
            Fusion(**fusion)


STONE = [n for n in range(40) if n % 4 and "stone" in text(n)]
OTHER = [n for n in range(40) if n % 4 and "stone" not in text(n)]


@pytest.mark.parametrize(
    ("method", "among", "edit"),
    [
        ("rrf", OTHER, ("s.vector_weight / (60 + s.vector_rank)", "s.vector_weight / (61 + s.vector_rank)")),
        ("convex", [STONE[0], OTHER[0]], ("THEN s.lexical_weight\n", "THEN 0\n")),
        ("convex", STONE + OTHER, ("((s.lexical_score - s.lexical_least) /", "((s.lexical_score) /")),
    ],
)
def test_the_twins_of_fusion_have_teeth(
    fresh_spine: RagSpine,
    fresh_database: Database,
    plant: Plant,
    method: str,
    among: list[int],
    edit: tuple[str, str],
) -> None:
    fill(fresh_spine)
    asked = {"query": "stone", "libraries": ["one"], "k": 10, "mode": "hybrid", "fusion": {"method": method}}
    asked["filter"] = {"field": "n", "op": "in", "value": among}
    with psycopg.connect(fresh_database.reader_url) as connection:
        assert python(fresh_spine, asked, None).to_json() == sql(fresh_spine, connection, asked, None)
    plant("search_hits_v1", edit)
    with psycopg.connect(fresh_database.reader_url) as connection:
        assert python(fresh_spine, asked, None).to_json() != sql(fresh_spine, connection, asked, None)
