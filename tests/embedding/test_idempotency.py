"""A request carries the call's key and its own digest: the same in each attempt, another for another request."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ragspine_pg import Embedded, EmbeddingTask
from ragspine_pg.contract.idempotency import key_option
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import EmbeddingError
from tests.embedding.faulty import Faulty
from tests.embedding.scripted import ScriptedServer, echo

DOCUMENT, QUERY = EmbeddingTask.RETRIEVAL_DOCUMENT, EmbeddingTask.RETRIEVAL_QUERY
MakeModel = Callable[..., OpenAIModel]
HEADER = "Idempotency-Key"


def keys(server: Any) -> list[str | None]:
    """The key of each attempt that the server saw."""
    return [headers.get(HEADER) for headers in server.headers]


@pytest.mark.parametrize("status", [429, 503, 409])
def test_all_attempts_of_a_request_carry_the_same_key(
    server: ScriptedServer, make_model: MakeModel, status: int
) -> None:
    server.script = [echo(status), echo(status)]
    embed_checked(make_model(), ["hedgehog"], QUERY, idempotency_key="call-1")
    first, *others = keys(server)
    assert first is not None
    assert first.startswith("call-1-")
    assert others == [first, first]
    assert "hedgehog" not in first


def test_a_call_made_again_carries_the_same_keys(server: ScriptedServer, make_model: MakeModel) -> None:
    for _ in range(2):
        embed_checked(make_model(), ["a", "b"], QUERY, idempotency_key="call-1")
    assert len(set(keys(server))) == 1


def test_distinct_requests_of_a_call_carry_distinct_keys(server: ScriptedServer, make_model: MakeModel) -> None:
    embed_checked(make_model(batch_items=1, concurrency=1), ["a", "b"], QUERY, idempotency_key="call-1")
    embed_checked(make_model(query_prefix="query: "), ["a"], QUERY, idempotency_key="call-1")
    embed_checked(make_model(model="other"), ["a"], QUERY, idempotency_key="call-1")
    embed_checked(make_model(), ["a"], QUERY, idempotency_key="call-2")
    found = keys(server)
    assert None not in found
    assert len(set(found)) == len(found) == 5


def test_the_digest_is_keyed_by_the_api_key(server: ScriptedServer, make_model: MakeModel) -> None:
    for secret in ("one", "other"):
        embed_checked(make_model(api_key=secret), ["a"], QUERY, idempotency_key="call-1")
    assert len(set(keys(server))) == 2, "who sees the header alone cannot try which text it was made of"
    assert "one" not in str(keys(server)[0]).removeprefix("call-1")


def test_without_a_key_there_is_no_header_and_a_conflict_is_an_error(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.script = [echo(409)]
    with pytest.raises(EmbeddingError, match="HTTP 409"):
        embed_checked(make_model(), ["a"], QUERY)
    assert keys(server) == [None]


class _Taking(Faulty):
    """A model of somebody else's that takes the key."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str | None] = []

    def embed(
        self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Any = None, idempotency_key: str | None = None
    ) -> Embedded:
        self.keys.append(idempotency_key)
        return super().embed(texts, task, deadline=deadline)


def test_only_a_model_that_names_the_keyword_is_handed_the_key() -> None:
    taking, plain = _Taking(), Faulty()
    embed_checked(taking, ["a"], DOCUMENT, idempotency_key="call-1")
    embed_checked(taking, ["a"], DOCUMENT)
    embed_checked(plain, ["a"], DOCUMENT, idempotency_key="call-1")
    assert taking.keys == ["call-1", None]
    assert plain.calls == [["a"]]


def test_what_a_function_takes_is_read_off_itself() -> None:
    def named(texts: Any, *, idempotency_key: str | None = None) -> None: ...

    @functools.wraps(named)
    def wrapping(texts: Any) -> None: ...

    def positional(idempotency_key: str, /) -> None: ...

    def anything(*texts: Any, **options: Any) -> None: ...

    assert key_option(named, "k") == {"idempotency_key": "k"}
    assert key_option(named, None) == {}
    for other in (wrapping, positional, anything, dict, len):
        assert key_option(other, "k") == {}
