"""A model that is made again from what the database holds of it works as the first did."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragspine_pg import Deadline
from ragspine_pg.contract.metadata import freeze_metadata
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.known import KnownModels, embedding_profile
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import ConfigurationError, DeadlineExceeded
from tests.embedding.scripted import DIMENSIONS, ScriptedServer, echo
from tests.fixtures.models import WrittenModel


def test_fractions_among_the_stored_options_are_numbers_again(server: ScriptedServer) -> None:
    first = OpenAIModel(
        model="m",
        dimensions=DIMENSIONS,
        base_url=server.url,
        timeout=4.5,
        max_wait=0.75,
        query_members={"temperature": 0.5},
    )
    stored = freeze_metadata(embedding_profile(first))
    again = KnownModels().find(stored)
    assert again.space == first.space
    assert again.options == first.options
    server.script = [echo(429, Retry_After="0"), echo(503)]
    embedded = embed_checked(again, ["a tent"], EmbeddingTask.RETRIEVAL_QUERY)
    assert embedded.usage.calls == 3
    assert server.requests[2]["temperature"] == 0.5


def test_a_model_of_the_same_space_is_not_the_same_service(server: ScriptedServer) -> None:
    """What a library holds goes to the service that its own profile names, whoever else was searched before."""
    with ScriptedServer().running() as other:
        urls = (server.url, other.url)
        models = [OpenAIModel(model="m", dimensions=DIMENSIONS, base_url=url, send_dimensions=False) for url in urls]
        assert models[0].space == models[1].space
        known = KnownModels()
        known.keep(models[0])  # a library was made with it in this very process
        found = [known.find(freeze_metadata(embedding_profile(model))) for model in models]
        assert [model.options["base_url"] for model in found] == list(urls)
        assert found[0] is models[0]
        embed_checked(found[1], ["a secret question"], EmbeddingTask.RETRIEVAL_QUERY)
        assert (len(server.requests), len(other.requests)) == (0, 1)


def test_a_model_that_is_handed_in_serves_its_space() -> None:
    handed_in, named = WrittenModel(), WrittenModel()
    stored = {**embedding_profile(named), "name": "somebody else's", "options": {"device": "gpu"}}
    assert KnownModels([handed_in]).find(stored) is handed_in
    kept = KnownModels()
    kept.keep(named)
    with pytest.raises(ConfigurationError, match="somebody else's"):
        kept.find(stored)


def test_a_model_that_another_thread_makes_is_waited_for_until_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    model, let_go, making = WrittenModel(), threading.Event(), threading.Event()

    def make(name: str, **options: object) -> WrittenModel:
        making.set()
        assert let_go.wait(30)
        return model

    monkeypatch.setattr("ragspine_pg.embedding.known.make_embedding_model", make)
    known, profile = KnownModels(), embedding_profile(model)
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(known.find, profile)
        assert making.wait(30)
        with pytest.raises(DeadlineExceeded):
            known.find(profile, Deadline.after(0.1))
        let_go.set()
        assert found.result(30) is model
