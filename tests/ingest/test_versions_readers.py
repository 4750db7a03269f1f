"""Publish and rollback under readers: every answer is, to the byte, that of one version."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect import lazy
from ragspine_pg.connect.transaction import BEGIN_READING
from ragspine_pg.contract.result import SearchResult
from ragspine_pg.errors import RagSpineError
from ragspine_pg.retrieval import pipeline
from ragspine_pg.retrieval import rank as ranking
from tests.fixtures.database import Database
from tests.ingest.edition import documents

READERS = 16
CHANGES = 24
QUERY = "foxes hunting at night"


def assert_of_one_version(result: SearchResult, expected: dict[int, str]) -> None:
    """The core: the hits are of the version that the result names, and the whole is what that version answers."""
    version = result.index_versions["books"]
    assert result.hits
    assert {hit.index_version for hit in result.hits} == {version}
    assert result.to_json() == expected[version]


def filled(spine: RagSpine, tenant: str) -> tuple[Library, dict[int, str]]:
    """A library with two versions in different spaces, and what each answers; the second is published."""
    library = spine.create_library(tenant, "books", embedding="hashing")
    library.ingest(documents())
    expected = {1: answer(library).to_json()}
    library.rebuild(chunker_options={"size": 150}, analyzer="simple", embedding_options={"dimensions": 64})
    library.publish(2)
    expected[2] = answer(library).to_json()
    assert expected[1] != expected[2]
    return library, expected


def answer(library: Library, **options: Any) -> SearchResult:
    access = Access(library.tenant, {"group:staff"})
    return library.search(QUERY, access=access, mode="hybrid", expand="parent", **options)


def test_every_answer_under_readers_is_of_one_version(database: Database) -> None:
    with RagSpine.open(
        database.reader_url,
        ingest=database.ingest_url,
        grant_key=database.grant_key,
        config=ServiceConfig(pool_size=READERS),
    ) as spine:
        library, expected = filled(spine, "readers")
        stop = threading.Event()
        seen: list[set[int]] = []
        failures: list[BaseException] = []

        def read() -> None:
            mine: set[int] = set()
            try:
                while not stop.is_set():
                    result = answer(library)
                    mine.add(result.index_versions["books"])
                    assert_of_one_version(result, expected)
            except BaseException as failure:  # noqa: BLE001 - told below
                failures.append(failure)
            seen.append(mine)

        threads = [threading.Thread(target=read) for _ in range(READERS)]
        for thread in threads:
            thread.start()
        try:
            for number in range(CHANGES):
                if number % 2:
                    library.publish(2)
                else:
                    library.rollback()
        finally:
            stop.set()
            for thread in threads:
                thread.join(60)
    assert failures == []
    assert len(seen) == READERS
    assert set().union(*seen) == {1, 2}


def test_an_answer_of_two_versions_has_teeth(spine: RagSpine) -> None:
    library, expected = filled(spine, "mixed")
    result = answer(library)
    assert_of_one_version(result, expected)
    for mixed in (
        replace(result, index_versions={"books": 1}),
        replace(result, hits=(*result.hits[:-1], replace(result.hits[-1], index_version=1))),
        replace(result, hits=result.hits[:-1]),
    ):
        with pytest.raises(AssertionError):
            assert_of_one_version(mixed, expected)


def assert_a_search_keeps_its_version(spine: RagSpine, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core: while a search has its hits and not yet their texts, its version is retired, dropped and deleted."""
    library, expected = filled(spine, tenant)
    right = ranking.rank
    done: list[bool] = []

    def rank(*arguments: Any) -> Any:
        if not done:
            done.append(True)
            for number in (3, 4, 5):
                library.rebuild(chunker_options={"size": 150 + number})
                library.publish(number)
            assert [version.version for version in library.versions()] == [5, 4, 3]
        return right(*arguments)

    monkeypatch.setattr(pipeline, "rank", rank)
    assert_of_one_version(answer(library), expected)
    assert answer(library).index_versions == {"books": 5}


def test_a_search_under_way_keeps_its_version_even_if_it_is_deleted(
    spine: RagSpine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_a_search_keeps_its_version(spine, "under-way", monkeypatch)


def test_a_search_under_way_has_teeth(spine: RagSpine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a transaction without a snapshot of its own."""

    loose = BEGIN_READING.replace("REPEATABLE READ", "READ COMMITTED")
    assert loose != BEGIN_READING
    monkeypatch.setattr(lazy, "BEGIN_READING", loose)
    with pytest.raises(AssertionError):
        assert_a_search_keeps_its_version(spine, "loose", monkeypatch)


def test_a_measured_version_is_not_kept_behind_one_that_is_not(spine: RagSpine) -> None:
    """Its scores tell of all lengths of its time, and nothing refuses a second access class any more."""
    library = spine.create_library("measured-before", "books", chunker="whole", profile={"pivot": "measured"})
    library.ingest([Document("a", "alpha beta gamma"), Document("b", "alpha delta"), Document("long", "omega " * 400)])
    access = Access("measured-before", {"user:ann"})
    first = spine.search("alpha", access=access, k=1)
    library.publish(library.rebuild(k1=1.3).version)
    assert [info.state for info in library.versions()] == ["published", "retired"], (
        "one measured version behind another"
    )
    library.publish(library.rebuild(pivot=10).version)
    assert [info.state for info in library.versions()].count("retired") == 0
    assert library.relabel("long", sensitivity="RESTRICTED")
    with pytest.raises(RagSpineError, match="no longer kept"):
        spine.search("alpha", access=access, k=1, after=first.cursor)
