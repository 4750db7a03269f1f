"""Models by name."""

import sys
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.embedding import ENTRY_POINT_GROUP, make_embedding_model, registry
from ragspine_pg.embedding.hashing import HashingModel
from ragspine_pg.errors import ConfigurationError
from tests.embedding.faulty import Faulty


def make_foreign(**options: Any) -> EmbeddingModel:
    """What another distribution's entry point points to."""
    return Faulty(**options)


def make_nothing() -> str:
    """An entry point that makes no model."""
    return "no model"


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("foreign", f"{__name__}:make_foreign", ENTRY_POINT_GROUP),
        EntryPoint("nothing", f"{__name__}:make_nothing", ENTRY_POINT_GROUP),
        EntryPoint("hashing", f"{__name__}:make_nothing", ENTRY_POINT_GROUP),
    ]
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setattr(registry, "entry_points", lambda *, group: EntryPoints(points).select(group=group))


def test_none_is_no_model() -> None:
    assert make_embedding_model() is make_embedding_model(None) is make_embedding_model("none") is None


def test_model_that_is_made_is_handed_back() -> None:
    model = HashingModel()
    assert make_embedding_model(model) is model


def test_name_with_options_makes_a_model() -> None:
    model = make_embedding_model("hashing", dimensions=32)
    assert isinstance(model, HashingModel)
    assert model.space.dimensions == 32


def test_environment_names_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_embedding_model(ServiceConfig.load().embedding) is None
    monkeypatch.setenv("RAGSPINE_EMBEDDING", "hashing")
    assert isinstance(make_embedding_model(ServiceConfig.load().embedding), HashingModel)


@pytest.mark.usefixtures("offered")
def test_other_distributions_models_are_found_after_ours() -> None:
    assert isinstance(make_embedding_model("foreign", items=3), Faulty)
    assert isinstance(make_embedding_model("hashing"), HashingModel)


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("hashin", {}, "there are: none, hashing, local, openai, sentence_transformers, foreign, nothing"),
        ("", {}, "blank"),
        (" ", {}, "blank"),
        ("hashing", {"length": 3}, "has no option 'length' .its options: dimensions"),
        ("hashing", {"dimensions": "3"}, "dimensions"),
        ("none", {"dimensions": 3}, "takes no options"),
        (None, {"dimensions": 3}, "options go with"),
        (HashingModel(), {"dimensions": 3}, "options go with"),
        (object(), {}, "is a name or an object"),
        ("nothing", {}, "is no embedding model"),
    ],
)
def test_what_makes_no_model_is_a_configuration_error(name: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        make_embedding_model(name, **options)


@pytest.mark.parametrize(
    ("name", "missing", "extra"),
    [
        ("openai", "httpx", "openai"),
        ("openai", "tenacity", "openai"),
        ("sentence_transformers", "sentence_transformers", "sentence-transformers"),
    ],
)
def test_missing_package_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, name: str, missing: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigurationError, match=rf"pip install 'ragspine-pg\[{extra}\]'"):
        make_embedding_model(name, model="m", **({"dimensions": 3, "api_key": "k"} if name == "openai" else {}))
