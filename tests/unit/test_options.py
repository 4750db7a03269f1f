"""Options that do not fit a factory are named, the missing ones and the unknown ones."""

from typing import Any

import pytest

from ragspine_pg import make_chunker, make_embedding_model, make_filter_extractor, make_library_router, make_reranker
from ragspine_pg.contract.option import require_options
from ragspine_pg.errors import ConfigurationError

CASES: list[tuple[Any, str, dict[str, Any], str]] = [
    (make_reranker, "http", {}, "reranker 'http' needs base_url"),
    (
        make_reranker,
        "callable",
        {"scores": "s3cret"},
        "reranker 'callable' needs score, and has no option 'scores' (its options: score, remote)",
    ),
    (make_library_router, "callable", {}, "library router 'callable' needs choose"),
    (
        make_filter_extractor,
        "controlled_vocab",
        {"vocabulary": {}, "colour": 1},
        "filter extractor 'controlled_vocab' has no option 'colour' (its options: vocabulary)",
    ),
    (make_chunker, "whole", {"size": 9}, "chunker 'whole' has no option 'size' (its options: none)"),
    (
        make_embedding_model,
        "hashing",
        {"length": 3},
        "embedding model 'hashing' has no option 'length' (its options: dimensions)",
    ),
]


@pytest.mark.parametrize(("make", "name", "options", "told"), CASES)
def test_what_is_missing_and_what_is_unknown_is_named(make: Any, name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        make(name, **options)
    assert str(refused.value) == told


def test_a_factory_that_takes_anything_is_given_it() -> None:
    require_options("it", lambda **options: None, {"colour": 1})
    require_options("it", dict, {"colour": 1})
    with pytest.raises(ConfigurationError, match="nothing that can be called"):
        require_options("it", 3, {})
