"""The default path, as bytes: what is added beside it must change none of them, and what changes it says so in an ADR.

``golden/default_path.txt`` begins with the file name of the ADR that last declared a change; to change it, write one,
run this file with ``RAGSPINE_WRITE_GOLDEN=1``, and name it there.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ragspine_pg import MetadataFilter, RagSpine, wrap_retriever
from ragspine_pg.client.filter_extracting import FilterExtractingRetriever
from ragspine_pg.client.multi_index import MultiIndexRetriever
from ragspine_pg.client.reranking import RerankingRetriever
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.ports import Searcher
from tests.conformance import twins
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine

GOLDEN = Path(__file__).parent / "golden/default_path.txt"
ADRS = Path(__file__).parents[2] / "docs/adr"
NAMES = [
    "plain",
    "nothing searchable",
    "no match",
    "three",
    "windows",
    "several libraries",
    "filtered",
    "a least score",
]

Ask = Callable[[str], str]
"""The canonical JSON of the case of that name."""


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        twins.build(spine)
        yield spine


def asking(searcher: Searcher) -> Ask:
    def ask(name: str) -> str:
        options = dict(twins.CASES[name])
        if (narrowed := options.pop("filter", None)) is not None:
            options["metadata_filter"] = MetadataFilter.from_json(narrowed)
        return str(searcher.search(options.pop("query"), access=twins.ME, **options).to_json())

    return ask


def answers(ask: Ask) -> str:
    return "".join(f"{name}\n{ask(name)}\n" for name in NAMES)


def assert_golden(found: str) -> None:
    """The core: the bytes are those that were declared, and there is something among them."""
    declared, _, golden = GOLDEN.read_text(encoding="utf-8").partition("\n")
    assert (ADRS / declared).is_file(), "the golden names the ADR that declared its last change"
    assert golden.count('"document_id":"guide-') > 20
    assert found == golden


def test_the_default_path_is_the_declared_one(built: RagSpine) -> None:
    found = answers(asking(built))
    if os.environ.get("RAGSPINE_WRITE_GOLDEN"):
        declared = GOLDEN.read_text(encoding="utf-8").partition("\n")[0] if GOLDEN.exists() else "0002-lexical-leg.md"
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(f"{declared}\n{found}", encoding="utf-8")
    assert_golden(found)


def test_sql_gives_the_declared_bytes(built: RagSpine, database: Database) -> None:
    assert_golden(answers(lambda name: twins.sql(database, built, twins.CASES[name])))


SEAMS: dict[str, Callable[[RagSpine], Searcher]] = {
    "settings": lambda spine: wrap_retriever(spine, ServiceConfig()),
    "router": lambda spine: MultiIndexRetriever(spine, "none"),
    "filter extractor": lambda spine: FilterExtractingRetriever(spine, "none"),
    "reranker": lambda spine: RerankingRetriever(spine, "none"),
    "all of them": lambda spine: RerankingRetriever(FilterExtractingRetriever(MultiIndexRetriever(spine))),
}


@pytest.mark.parametrize("seam", SEAMS)
def test_a_seam_that_is_not_used_changes_no_byte(built: RagSpine, seam: str) -> None:
    assert_golden(answers(asking(SEAMS[seam](built))))


def test_settings_that_say_none_change_no_byte(built: RagSpine, database: Database) -> None:
    config = ServiceConfig.load(
        library_router="none", filter_extractor="none", reranker="none", embedding="none", retrieval_mode="auto"
    )
    with RagSpine.open(database.reader_url, grant_key=database.grant_key, config=config) as spine:
        assert_golden(answers(asking(spine)))


def test_the_default_path_has_teeth(fresh_spine: RagSpine, plant: Plant) -> None:
    twins.build(fresh_spine)
    assert_golden(answers(asking(fresh_spine)))
    plant("weigh_terms_v1", ("t.chunk_count + 0.5)::double precision", "t.chunk_count + 0.25)::double precision"))
    with pytest.raises(AssertionError):
        assert_golden(answers(asking(fresh_spine)))


class _Rounding:
    """A seam that adds nothing and loses a bit."""

    def __init__(self, base: Searcher) -> None:
        self._base = base

    def search(self, query: str, **options: object) -> object:
        result = self._base.search(query, **options)
        return replace(result, hits=tuple(replace(hit, score=hit.score * (1 - 2**-53)) for hit in result.hits))


def test_an_unused_seam_has_teeth(built: RagSpine) -> None:
    with pytest.raises(AssertionError):
        assert_golden(answers(asking(_Rounding(built))))  # type: ignore[arg-type]
