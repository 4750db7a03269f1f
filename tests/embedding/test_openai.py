"""``openai`` against a real server of our own that misbehaves by script."""

import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked, make_embedding_model
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import (
    ConfigurationError,
    EmbeddingError,
    EmbeddingRejected,
    InvalidEmbeddingInput,
)
from tests.embedding.scripted import DIMENSIONS, ScriptedServer, changed, echo, vectors_of
from tests.embedding.silence import CANARY, assert_silent

DOCUMENT, QUERY = EmbeddingTask.RETRIEVAL_DOCUMENT, EmbeddingTask.RETRIEVAL_QUERY
TEXTS = ["first of all", CANARY, "third and last"]
LABELS = ["a", "b", "c"]
MakeModel = Callable[..., OpenAIModel]


def close(vectors: object, expected: list[list[float]]) -> bool:
    return [list(one) for one in vectors] == [pytest.approx(other, abs=1e-6) for other in expected]  # type: ignore[attr-defined]


def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_answer(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.script = [changed(lambda value: value["data"].reverse())]
    embedded = embed_checked(make_model(), TEXTS, DOCUMENT)
    assert close(embedded.vectors, vectors_of(TEXTS))
    assert (embedded.usage.items, embedded.usage.tokens, embedded.usage.calls) == (3, 9, 1)
    assert embedded.usage.seconds > 0


@pytest.mark.parametrize(
    ("fault", "said", "position"),
    [
        (lambda value: value["data"].pop(), "2 vectors for 3 texts", None),
        (lambda value: value["data"].append({**value["data"][0], "index": 3}), "4 vectors for 3 texts", None),
        (lambda value: value["data"][2].update(index=1), "two vectors of this index", 1),
        (lambda value: value["data"][2].pop("index"), "without an index", None),
        (lambda value: value["data"][2].update(index=3), "without an index", None),
        (lambda value: value["data"][1].update(index=True), "without an index", None),
        (lambda value: value["data"][1]["embedding"].pop(), f"7 dimensions, not {DIMENSIONS}", 1),
        (lambda value: value["data"][1]["embedding"].append(0.0), f"9 dimensions, not {DIMENSIONS}", 1),
        (lambda value: value["data"][1].update(embedding=[math.nan] * DIMENSIONS), "not finite", 1),
        (lambda value: value["data"][1].update(embedding=[-math.inf] * DIMENSIONS), "not finite", 1),
        (lambda value: value["data"][1].update(embedding=[1e39] * DIMENSIONS), "not finite", 1),
        (lambda value: value["data"][1].update(embedding=[0.0] * DIMENSIONS), "is zero", 1),
        (lambda value: value["data"][1].update(embedding=[1e-60] * DIMENSIONS), "is zero", 1),
        (lambda value: value["data"][1].update(embedding=[2.0] * DIMENSIONS), "length 5.657", 1),
        (lambda value: value["data"][1].update(embedding=["0.5"] * DIMENSIONS), "no number", 1),
        (lambda value: value["data"][1].update(embedding=[True] * DIMENSIONS), "no number", 1),
        (lambda value: value["data"][1].update(embedding=[10**400] * DIMENSIONS), "no number", 1),
        (lambda value: value["data"][1].update(embedding=CANARY), "no list of numbers", 1),
    ],
)
def test_bad_answer_is_rejected_at_once_and_names_the_item(
    server: ScriptedServer, make_model: MakeModel, fault: Callable[[dict[str, Any]], object], said: str, position: int
) -> None:
    def change(value: dict[str, Any]) -> None:
        fault(value)

    server.script = [changed(change)]
    with pytest.raises(EmbeddingRejected, match=said) as raised:
        embed_checked(make_model(), TEXTS, DOCUMENT, labels=LABELS)
    assert len(server.requests) == 1
    assert_silent(raised.value)
    if position is None:
        assert (raised.value.ids["first"], raised.value.ids["last"]) == (0, 2)
    else:
        assert (raised.value.ids["position"], raised.value.ids["label"]) == (1, "b")
        assert str(raised.value).startswith("texts[1] (b): ")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"object": CANARY}, "no list called data"),
        ([CANARY], "no list called data"),
        (CANARY, "no list called data"),
        (None, "no list called data"),
        (b'{"data": [' + CANARY.encode(), "not JSON"),
        (b"\xff\xfe" + CANARY.encode(), "not JSON"),
        (b"<html>" + CANARY.encode(), "not JSON"),
        (b"[" * 60_000, "not JSON"),
        (b"", "not JSON"),
        ({"data": [], "pad": CANARY * 5_000}, "longer than"),
    ],
)
def test_answer_of_another_kind_is_rejected_at_once(
    server: ScriptedServer, make_model: MakeModel, answer: object, said: str
) -> None:
    server.script = [lambda exchange: exchange.answer(answer)]
    with pytest.raises(EmbeddingRejected, match=said) as raised:
        embed_checked(make_model(), TEXTS, DOCUMENT)
    assert len(server.requests) == 1
    assert_silent(raised.value)


def test_packed_answer_that_cannot_be_unpacked_is_rejected(server: ScriptedServer, make_model: MakeModel) -> None:
    server.script = [lambda exchange: exchange.answer(CANARY.encode(), Content_Encoding="gzip")]
    with pytest.raises(EmbeddingRejected, match="unpacked") as raised:
        embed_checked(make_model(), TEXTS, DOCUMENT)
    assert_silent(raised.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 418, 422, 501, 302, 307])
def test_refusal_is_not_asked_again_and_not_quoted(server: ScriptedServer, make_model: MakeModel, status: int) -> None:
    server.script = [echo(status, Location="http://127.0.0.1:1/elsewhere")]
    with pytest.raises(EmbeddingError) as raised:
        embed_checked(make_model(), TEXTS, DOCUMENT)
    assert type(raised.value) is EmbeddingError
    assert raised.value.ids["status"] == status
    assert len(server.requests) == 1
    assert_silent(raised.value)


def test_batches_are_bounded_in_items_characters_and_number_in_flight(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    texts = [f"{word} " * 5 for word in map(str, range(40))] + ["long " * 100]

    def slowly(exchange: object) -> None:
        time.sleep(0.05)
        changed(lambda value: None)(exchange)  # type: ignore[arg-type]

    server.script = [slowly] * 40
    model = make_model(batch_items=4, batch_characters=60, concurrency=3)
    embedded = embed_checked(model, texts, DOCUMENT)
    assert close(embedded.vectors, vectors_of(texts))
    sizes = [(len(request["input"]), sum(map(len, request["input"]))) for request in server.requests]
    assert all(items <= 4 and (characters <= 60 or items == 1) for items, characters in sizes)
    assert 1 < server.busiest <= 3
    assert embedded.usage.calls == len(server.requests)
    assert embedded.usage.tokens == sum(len(text.split()) for text in texts)


def test_failing_batch_is_named_by_its_place_among_all_and_stops_the_rest(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    server.script = [changed(lambda value: None), changed(lambda value: value["data"][1].update(embedding=[0.0] * 8))]
    model = make_model(batch_items=2, concurrency=1)
    with pytest.raises(EmbeddingRejected, match=r"^texts\[3\]: its vector is zero") as raised:
        embed_checked(model, ["w"] * 20, DOCUMENT)
    assert raised.value.ids == {"position": 3}
    assert len(server.requests) == 2


def test_task_chooses_prefix_and_members_and_all_belong_to_the_space(
    server: ScriptedServer, make_model: MakeModel
) -> None:
    plain = make_model()
    model = make_model(document_prefix="d: ", query_prefix="q: ", query_members={"input_type": "query"})
    embed_checked(model, ["x"], DOCUMENT)
    embed_checked(model, ["x"], QUERY)
    document, query = server.requests
    assert document == {"model": "scripted", "input": ["d: x"], "encoding_format": "float"}
    assert query == {"model": "scripted", "input": ["q: x"], "encoding_format": "float", "input_type": "query"}
    spaces = [plain, model, make_model(query_members={"input_type": "query"}), make_model(revision="2")]
    assert len({one.space.fingerprint for one in spaces}) == 4


def test_options_make_it_again_and_hold_no_key(server: ScriptedServer, make_model: MakeModel) -> None:
    model = make_model(
        api_key="sk-secret", query_members={"task": ["q"]}, batch_items=7, revision="3", distance="inner_product"
    )
    again = make_embedding_model("openai", **model.options)
    assert isinstance(again, OpenAIModel)
    assert (again.space, again.limits, again.remote) == (model.space, model.limits, True)
    assert again.options == model.options
    assert "sk-secret" not in f"{model.options}{model.space}{vars(model)}"
    embed_checked(model, ["x"], DOCUMENT)
    embed_checked(again, ["x"], DOCUMENT)
    assert [headers.get("Authorization") for headers in server.headers] == ["Bearer sk-secret", None]


def test_key_made_for_openai_goes_to_openai_alone(
    server: ScriptedServer, make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGSPINE_OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="needs a key"):
        OpenAIModel()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert OpenAIModel().space.dimensions == 1536
    embed_checked(make_model(), ["x"], DOCUMENT)
    monkeypatch.setenv("RAGSPINE_OPENAI_API_KEY", "sk-ours")
    embed_checked(make_model(), ["x"], DOCUMENT)
    assert [headers.get("Authorization") for headers in server.headers] == [None, "Bearer sk-ours"]


def test_length_is_asked_for_where_a_model_can_shorten(server: ScriptedServer, make_model: MakeModel) -> None:
    embed_checked(make_model(model="text-embedding-3-large"), ["x"], DOCUMENT)
    embed_checked(make_model(model="other", send_dimensions=True), ["x"], DOCUMENT)
    embed_checked(make_model(model="other"), ["x"], DOCUMENT)
    assert [request.get("dimensions") for request in server.requests] == [8, 8, None]


def test_text_that_would_be_cut_in_silence_is_refused(server: ScriptedServer, make_model: MakeModel) -> None:
    with pytest.raises(InvalidEmbeddingInput, match=r"^texts\[1\] \(b\): has 29 code points") as raised:
        embed_checked(make_model(max_characters=28), TEXTS, DOCUMENT, labels=LABELS)
    assert server.requests == []
    assert_silent(raised.value)


def test_service_counts_as_remote_unless_said_otherwise(make_model: MakeModel) -> None:
    assert make_model().remote is True
    assert make_model(remote=False).remote is False


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "unknown"}, "dimensions is needed"),
        ({"model": " ", "dimensions": 3}, "blank"),
        ({"dimensions": 0}, "dimensions"),
        ({"dimensions": 16_001}, "dimensions"),
        ({"base_url": "ftp://example.org"}, "http or https"),
        ({"base_url": "https://"}, "http or https"),
        ({"base_url": "https://example.org:99999"}, "http or https"),
        ({"base_url": "https://me:pw@example.org"}, "no login"),
        ({"base_url": "https://example.org/v1?key=pw"}, "no login"),
        ({"base_url": "http://example.org/v1"}, "unencrypted"),
        ({"api_key": "line\nbreak"}, "API key"),
        ({"query_members": {"input": "x"}}, "query_members"),
        ({"query_members": {"x": object()}}, "query_members"),
        ({"distance": "manhattan"}, "distance"),
        ({"remote": "no"}, "remote"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"concurrency": 0}, "concurrency"),
        ({"max_characters": 0}, "max_characters"),
    ],
)
def test_option_that_cannot_be_used_is_a_configuration_error(options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        make_embedding_model("openai", **{"api_key": "k", **options})


def test_own_service_may_be_plain_http() -> None:
    assert OpenAIModel(model="m", dimensions=2, base_url="http://vllm:8000/v1", remote=False).remote is False
