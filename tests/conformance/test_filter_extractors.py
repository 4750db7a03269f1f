"""Every filter extractor: it narrows and never widens, gives a filter or nothing, and what it did is said."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from ragspine_pg import MetadataFilter, RagSpine
from ragspine_pg.client.filter_extracting import FilterExtractingRetriever
from ragspine_pg.contract.ports import FilterExtractor
from ragspine_pg.errors import InvalidFilter, SeamFailed
from ragspine_pg.retrieval.filtering import (
    FILTER_EXTRACTORS,
    CallableFilterExtractor,
    ControlledVocabFilterExtractor,
    extract,
)
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine

VOCABULARY = {
    "n": [
        {"value": n, "terms": [f"number {n}", name]} for n, name in enumerate(["zero", "one", "two", "three", "four"])
    ],
    "secret": [{"value": True, "terms": ["secret", "secrets"]}],
}
QUERIES = {
    "return an order": None,
    "return order one": ["open"],
    "return order ONE or number 2": ["open", "staff"],
    "return order number 2": ["staff"],
    "return order ｏｎｅ": ["open"],
    "return an order, secret": [],
    "return an order four": [],
}
"""What staff is given, by document id; None where no filter is extracted."""

_WORDS = {"one": 1, "two": 2, "four": 4}


def _model(query: str) -> Any:
    """A model that answers in JSON."""
    if "secret" in query:
        return {"field": "secret", "op": "eq", "value": True}
    wanted = [number for word, number in _WORDS.items() if word in query.lower() or f"number {number}" in query]
    wanted += [1] if "ｏｎｅ" in query else []
    return json.dumps({"field": "n", "op": "in", "value": wanted}) if wanted else None


EXTRACTORS: dict[str, Callable[[], FilterExtractor]] = {
    "controlled_vocab": lambda: ControlledVocabFilterExtractor(VOCABULARY),
    "callable": lambda: CallableFilterExtractor(_model),
    "callable, a filter": lambda: CallableFilterExtractor(ControlledVocabFilterExtractor(VOCABULARY).extract),
}


def test_every_extractor_of_ours_is_here() -> None:
    assert {name.partition(",")[0] for name in EXTRACTORS} == set(FILTER_EXTRACTORS)


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        world.build(spine)
        yield spine


def assert_narrows(base: RagSpine, extractor: FilterExtractor) -> None:
    """The core: a part of what the caller's own filter leaves, the part that was asked for, and said."""
    own_filters = [None, MetadataFilter.where("n", "gte", 2), MetadataFilter.where("n", "lt", 0)]
    seen = 0
    for query, expected in QUERIES.items():
        for own in own_filters:
            plain = base.search(query, access=world.STAFF, metadata_filter=own)
            result = FilterExtractingRetriever(base, extractor).search(query, access=world.STAFF, metadata_filter=own)
            before = [hit.document_id for hit in plain.hits]
            after = [hit.document_id for hit in result.hits]
            assert [document for document in before if document in after] == after
            if expected is None:
                assert result.to_json() == plain.to_json()
                continue
            assert sorted(after) == [document for document in expected if document in before]
            assert sum(warning.startswith("extracted_filter:") for warning in result.warnings) == 1
            reported = MetadataFilter.from_json(result.warnings[0].partition(":")[2])
            assert all(reported.apply([hit.metadata for hit in result.hits]))
            assert len(reported.apply([hit.metadata for hit in plain.hits])) == len(after)
            assert ("extracted_filter_left_nothing" in result.warnings) == (not after)
            assert world.CANARY not in result.to_json() or "staff" in after
            seen += len(after)
    assert seen >= 5


@pytest.mark.parametrize("name", EXTRACTORS)
def test_extracted_filters_narrow_and_are_reported(built: RagSpine, name: str) -> None:
    assert_narrows(built, EXTRACTORS[name]())


def test_without_an_extractor_not_a_byte_changes(built: RagSpine) -> None:
    for query in QUERIES:
        plain = built.search(query, access=world.STAFF)
        assert FilterExtractingRetriever(built, "none").search(query, access=world.STAFF).to_json() == plain.to_json()


def test_a_filter_for_the_restricted_surfaces_nothing(built: RagSpine) -> None:
    searched = FilterExtractingRetriever(built, "controlled_vocab", vocabulary=VOCABULARY)
    for access in (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER):
        result = searched.search("return order secret number 4", access=access)
        assert result.hits == ()
        assert world.CANARY not in result.to_json()


def test_a_search_that_could_find_nothing_is_not_laid_on_the_filter(built: RagSpine) -> None:
    searched = FilterExtractingRetriever(built, "controlled_vocab", vocabulary=VOCABULARY)
    result = searched.search("one", access=world.NOBODY)
    assert (result.reason, "extracted_filter_left_nothing" in result.warnings) == ("nothing_readable", False)


def test_a_bound_retriever_extracts_too(built: RagSpine) -> None:
    searched = FilterExtractingRetriever(built, "controlled_vocab", vocabulary=VOCABULARY)
    bound = searched.retriever(access=world.STAFF).retrieve("return order one", top_k=3)
    assert [hit.document_id for hit in bound.hits] == ["open"]


NO_FILTERS: dict[str, Any] = {
    "a text": lambda query: f"the answer is {query}",
    "a list": lambda query: [query],
    "a passage": lambda query: {"text": query},
    "an unknown operator": lambda query: {"field": "n", "op": "matches", "value": query},
    "an exception": lambda query: {}[query],
}


@pytest.mark.parametrize("fault", NO_FILTERS)
def test_what_is_no_filter_is_refused_and_not_quoted(built: RagSpine, fault: str) -> None:
    searched = FilterExtractingRetriever(built, CallableFilterExtractor(NO_FILTERS[fault]))
    with pytest.raises(SeamFailed) as caught:
        searched.search("zebrafinch order", access=world.STAFF)
    assert "zebrafinch" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_own_extractor_that_gives_no_filter_is_refused(built: RagSpine) -> None:
    class Own:
        name = "own"

        def extract(self, query: str) -> Any:
            return {"field": "n", "op": "eq", "value": 1}

    with pytest.raises(SeamFailed, match="no filter"):
        FilterExtractingRetriever(built, Own()).search("order", access=world.STAFF)
    with pytest.raises(InvalidFilter):
        CallableFilterExtractor(lambda query: 7).extract("")  # type: ignore[arg-type, return-value]


FAULTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "widens: the caller's filter is replaced": ("join_filters", lambda own, extracted: extracted),
    "widens: either will do": (
        "join_filters",
        lambda own, extracted: extracted if own is None else MetadataFilter.any_of(own, extracted),
    ),
    "ignores what was extracted": ("join_filters", lambda own, extracted: own),
    "contradicts what was extracted": ("join_filters", lambda own, extracted: MetadataFilter.none_of(extracted)),
    "does not say so": ("report_filter", lambda result, extracted: result),
    "blames the filter always": (
        "report_filter",
        lambda result, extracted: replace(
            extract.report_filter(result, extracted),
            warnings=(f"extracted_filter:{extracted.to_json()}", "extracted_filter_left_nothing"),
        ),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", EXTRACTORS)
def test_narrowing_core_has_teeth(built: RagSpine, monkeypatch: pytest.MonkeyPatch, name: str, fault: str) -> None:
    from ragspine_pg.retrieval.filtering import search as filter_extracting

    function, broken = FAULTS[fault]
    monkeypatch.setattr(filter_extracting, function, broken)
    with pytest.raises(AssertionError):
        assert_narrows(built, EXTRACTORS[name]())


def test_narrowing_core_sees_an_extractor_that_extracts_nothing(built: RagSpine) -> None:
    with pytest.raises(AssertionError):
        assert_narrows(built, CallableFilterExtractor(lambda query: None))
