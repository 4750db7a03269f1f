"""A space's identity."""

import dataclasses
from typing import Any

import pytest

from ragspine_pg.contract.space import Distance, EmbeddingSpace, embedding_text
from ragspine_pg.errors import ConfigurationError

SPACE = EmbeddingSpace("p", "m", "r", 3, Distance.COSINE, True, "d: ", "q: ")
OTHER: dict[str, Any] = {
    "provider": "p2",
    "model": "m2",
    "revision": "",
    "dimensions": 4,
    "distance": "l2",
    "normalised": False,
    "document_prefix": "",
    "query_prefix": "d: ",
}


def test_fingerprint_is_stable_across_releases() -> None:
    # Stored in databases: a change here makes every stored vector unusable.
    assert SPACE.fingerprint == "354ba3ad769c2db545e3f2cd60a28ac6"


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(EmbeddingSpace)])
def test_every_field_is_part_of_the_fingerprint(field: str) -> None:
    other = dataclasses.replace(SPACE, **{field: OTHER[field]})
    assert other.fingerprint != SPACE.fingerprint


def test_json_reads_back_as_an_equal_space() -> None:
    again = EmbeddingSpace.from_json(SPACE.to_json())
    assert again == SPACE
    assert again.fingerprint == SPACE.fingerprint
    assert type(SPACE.to_json()["distance"]) is str


@pytest.mark.parametrize(
    "change",
    [
        {"provider": " "},
        {"model": ""},
        {"model": None},
        {"revision": "\0"},
        {"query_prefix": "\ud800"},
        {"dimensions": 0},
        {"dimensions": 16_001},
        {"dimensions": True},
        {"dimensions": 3.0},
        {"distance": "manhattan"},
        {"normalised": 1},
        {"more": 1},
    ],
)
def test_json_that_is_no_space_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        EmbeddingSpace.from_json({**SPACE.to_json(), **change})


def test_json_without_a_field_is_refused() -> None:
    value = SPACE.to_json()
    del value["revision"]
    with pytest.raises(ConfigurationError):
        EmbeddingSpace.from_json(value)


def test_title_is_embedded_with_the_text() -> None:
    assert embedding_text("Title", "text") == "Title\ntext"
    assert embedding_text("", "text") == embedding_text(" ", "text") == "text"
    assert embedding_text("Title", "") == "Title"
