"""Where libraries have vectors: every mode, through every door, gives the same bytes."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ragspine_pg import Access, RagSpine, make_embedding_model
from ragspine_pg.contract.ports import EmbeddingModel
from tests.conformance import twins
from tests.fixtures.database import Database
from tests.fixtures.spine import open_async_spine, open_spine, plant_function

MODES = ["economy", "vector", "hybrid", "auto"]
ME = Access("vectored", twins.ME.principals)

# A score in hybrid mode is of one leg or the other, which is said otherwise (tests/retrieval/test_hybrid.py).
CASES = {name: case for name, case in twins.CASES.items() if "min_score" not in case}
PAIRS = [pytest.param(mode, name, id=f"{mode}, {name}") for mode in MODES for name in CASES]


@pytest.fixture(scope="module")
def model() -> EmbeddingModel:
    made = make_embedding_model("hashing")
    assert made is not None
    return made


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        twins.build(spine, ME.tenant, embedding="hashing")
        yield spine


def case_of(mode: str, name: str) -> dict[str, Any]:
    return {**CASES[name], "mode": mode}


@pytest.mark.parametrize(("mode", "name"), PAIRS)
def test_python_awaited_python_and_sql_give_the_same_bytes(
    built: RagSpine, database: Database, model: EmbeddingModel, mode: str, name: str
) -> None:
    case = case_of(mode, name)

    async def body() -> str:
        async with open_async_spine(database) as spine:
            return await twins.awaited(spine, case, access=ME)

    expected = twins.python(built, case, access=ME)
    assert asyncio.run(body()) == expected
    assert twins.sql(database, built, case, access=ME, model=None if mode == "economy" else model) == expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["plain", "several libraries", "filtered", "windows"])
def test_the_command_line_gives_the_same_object(built: RagSpine, database: Database, mode: str, name: str) -> None:
    case = case_of(mode, name)
    assert twins.command_line(database, case, access=ME) == twins.python(built, case, access=ME)


def test_the_cases_see_something_of_each_leg(built: RagSpine) -> None:
    for mode in MODES:
        found = json.loads(twins.python(built, case_of(mode, "several libraries"), access=ME))
        assert found["mode"] == ("hybrid" if mode == "auto" else mode)
        legs = {leg for hit in found["hits"] for leg in hit["scores"]}
        assert legs == {"economy": {"lexical"}, "vector": {"vector"}}.get(mode, {"lexical", "vector"})
        assert {hit["library_id"] for hit in found["hits"]} == {"guides", "手引き"}


def test_same_bytes_in_every_mode_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, vector_schema: str, model: EmbeddingModel
) -> None:
    fresh_spine.create_library(ME.tenant, "guides", embedding="hashing").ingest(twins.DOCUMENTS)
    case = case_of("hybrid", "plain")
    before = twins.python(fresh_spine, case, access=ME)
    assert twins.sql(fresh_database, fresh_spine, case, access=ME, model=model) == before
    plant_function(
        fresh_database,
        "search_hits_v1",
        ("vector_weight / (60 +", "vector_weight / (61 +"),
        vector_schema=vector_schema,
    )
    assert twins.python(fresh_spine, case, access=ME) == before
    assert twins.sql(fresh_database, fresh_spine, case, access=ME, model=model) != before
