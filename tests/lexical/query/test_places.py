"""Phrases are found beyond what a tsvector keeps: 255 places a lexeme, 16,383 words, a megabyte."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, Document, RagSpine
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

ME = Access("placed", {"user:any"})
LONG = {
    "late": "oak " * 20_000 + "grey heron",
    "often": "grey " * 400 + "heron",
    "apart": "grey the heron " * 6_000,
    "turned": "heron grey elm " * 6_000,
    "stopped": "owl " * 17_000 + "the tale of the owl in a boat",
}


@pytest.fixture(scope="module")
def reader(database: Database) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        yield connection


def places(connection: psycopg.Connection[Any], text: str, analyzer: str) -> dict[str, list[int]]:
    return dict(connection.execute("SELECT * FROM ragspine.place_lexemes_v1(%s, %s)", [text, analyzer]).fetchall())


WORDS = st.sampled_from(
    ["grey", "herons", "the", "of", "running", "a1b2", "3.14", "café", "naïve", "x", "外币", "é—è", "HTTP/2"]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS, max_size=12), analyzer=st.sampled_from(["english", "simple", "french+fold"]))
def test_words_stand_where_they_do_in_a_short_text(
    reader: psycopg.Connection[Any], words: list[str], analyzer: str
) -> None:
    text = " ".join(words)
    long = places(reader, text + " zz9" * 17_000, analyzer)
    assert len(long.pop("zz9")) == 17_000
    assert long == places(reader, text, analyzer)


def check(spine: RagSpine) -> None:
    """The core."""
    shelf = spine.create_library(ME.tenant, "long", chunker="whole")
    shelf.ingest([Document(name, text) for name, text in LONG.items()])

    def found(query: str) -> set[str]:
        return {hit.document_id for hit in shelf.search(query, access=ME).hits}

    assert found('"grey heron"') == {"late", "often"}
    assert found('"heron grey"') == {"turned", "apart"}
    assert found('"grey the heron"') == {"apart", "often", "turned"}  # any word may stand for the stop word
    assert found('"tale of the owl in a boat"') == {"stopped"}
    assert found('"tale of owl"') == set()
    assert found('grey -"grey heron"') == {"turned", "apart"}


def test_a_phrase_is_found_wherever_it_stands(fresh_spine: RagSpine) -> None:
    check(fresh_spine)


@pytest.mark.parametrize(
    "edit",
    [
        (">= 255 OR v.positions[cardinality(v.positions)] >= 16383", ">= 1000000"),
        (">= 255 OR", ">= 1000000 OR"),
        ("SELECT t.token, t.run, (row_number()", "SELECT t.token, t.run, 2 * (row_number()"),
    ],
)
def test_finding_it_there_has_teeth(fresh_spine: RagSpine, plant: Plant, edit: tuple[str, str]) -> None:
    plant("place_lexemes_v1", edit)
    with pytest.raises(AssertionError):
        check(fresh_spine)
