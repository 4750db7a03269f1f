"""A scripted server for each test, and a model that talks to it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragspine_pg.embedding.openai import OpenAIModel
from tests.embedding.scripted import DIMENSIONS, ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer().running() as server:
        yield server


@pytest.fixture
def make_model(server: ScriptedServer) -> Callable[..., OpenAIModel]:
    """A model of the scripted server that waits but little between attempts."""

    def make(**options: Any) -> OpenAIModel:
        given = {"model": "scripted", "dimensions": DIMENSIONS, "max_wait": 0.3, "timeout": 5.0, "max_attempts": 3}
        return OpenAIModel(base_url=server.url, **{**given, **options})

    return make
