"""What is handed in or set wrongly is refused by name: the argument, or the library that needs what is missing."""

import asyncio
from typing import Any

import pytest

from ragspine_pg import Access, AsyncRagSpine, Document, Ingestor, RagSpine, Retriever
from ragspine_pg.errors import ConfigurationError
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine


@pytest.mark.parametrize("opens", [RagSpine, Ingestor, Retriever])
@pytest.mark.parametrize(
    ("argument", "value"),
    [("config", {}), ("config", "ragspine.toml"), ("embedding_models", 5), ("embedding_models", "local")],
)
def test_an_argument_of_another_kind_is_refused_by_name(opens: Any, argument: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^{argument} is a") as refused:
        opens.open("postgresql://nowhere.invalid/x", **{argument: value})
    assert refused.value.ids["argument"] == argument


def test_so_it_is_where_it_is_awaited() -> None:
    faults: list[dict[str, Any]] = [{"config": {}}, {"embedding_models": 5}]
    for given in faults:
        (argument,) = given
        with pytest.raises(ConfigurationError, match=f"^{argument} is a"):
            asyncio.run(AsyncRagSpine.open("postgresql://nowhere.invalid/x", **given))


def test_a_library_whose_model_lacks_its_key_is_named_with_the_variable(
    spine: RagSpine, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    spine.create_library("keys", "plain").ingest([Document("a", "tents")])
    monkeypatch.setenv("RAGSPINE_OPENAI_API_KEY", "k")
    spine.create_library(
        "keys", "keyed", embedding="openai", profile={"embedding_options": {"model": "m", "dimensions": 8}}
    ).ingest([Document("b", "tents", sensitivity="CONFIDENTIAL")])  # goes to no remote model
    monkeypatch.delenv("RAGSPINE_OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with open_spine(database) as later, pytest.raises(ConfigurationError) as refused:
        later.search("tents", access=Access("keys", {"user:ann"}))
    assert str(refused.value).startswith("library 'keyed': ")
    assert "RAGSPINE_OPENAI_API_KEY" in str(refused.value)
    assert refused.value.ids["library"] == "keyed"
