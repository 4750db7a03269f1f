"""A model that is made again from what the database holds of it works as the first did."""

from ragspine_pg.contract.metadata import freeze_metadata
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.known import KnownModels, embedding_profile
from ragspine_pg.embedding.openai import OpenAIModel
from tests.embedding.scripted import DIMENSIONS, ScriptedServer, echo


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
