"""``openai`` when the service is in trouble: asked again where that can help, never beyond the deadline."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ragspine_pg.contract.context import Cancellation, Deadline
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import Cancelled, DeadlineExceeded, EmbeddingRejected, EmbeddingUnavailable
from tests.embedding.scripted import ScriptedServer, Step, echo, vectors_of
from tests.embedding.silence import CANARY, assert_silent

DOCUMENT = EmbeddingTask.RETRIEVAL_DOCUMENT
TEXTS = ["first of all", CANARY, "third and last"]
MakeModel = Callable[..., OpenAIModel]


def abrupt(step: str) -> Step:
    return lambda exchange: getattr(exchange, step)()  # type: ignore[no-any-return]


TRANSIENT: dict[str, Step] = {
    **{f"HTTP {status}": echo(status) for status in (408, 425, 429, 500, 502, 503, 504, 529)},
    "reset": abrupt("reset"),
    "truncated body": lambda exchange: exchange.answer(b"{", Content_Length="1000") or exchange.reset(),  # type: ignore[func-returns-value]
    "too slow": abrupt("hang"),
    "dripping": abrupt("drip"),
}


@pytest.mark.parametrize("step", TRANSIENT.values(), ids=TRANSIENT)
def test_passing_trouble_is_asked_again_and_counted(server: ScriptedServer, make_model: MakeModel, step: Step) -> None:
    server.script = [step, step]
    embedded = embed_checked(make_model(timeout=0.3), TEXTS, DOCUMENT)
    assert [list(one) for one in embedded.vectors] == [pytest.approx(other, abs=1e-6) for other in vectors_of(TEXTS)]
    assert (embedded.usage.calls, embedded.usage.items) == (3, 3)


@pytest.mark.parametrize("step", TRANSIENT.values(), ids=TRANSIENT)
def test_lasting_trouble_is_unavailable_after_all_attempts(
    server: ScriptedServer, make_model: MakeModel, step: Step
) -> None:
    server.script = [step] * 9
    with pytest.raises(EmbeddingUnavailable, match=r"asked 127\.0\.0\.1 3 times") as raised:
        embed_checked(make_model(timeout=0.2), TEXTS, DOCUMENT)
    assert len(server.requests) == 3
    assert raised.value.ids["attempts"] == 3
    assert_silent(raised.value)


def test_service_that_is_not_there_is_unavailable() -> None:
    model = OpenAIModel(model="m", dimensions=2, base_url="http://127.0.0.1:9/v1", max_attempts=2, max_wait=0.01)
    with pytest.raises(EmbeddingUnavailable, match="ConnectError"):
        embed_checked(model, TEXTS, DOCUMENT)


def test_endless_answer_is_left_off(server: ScriptedServer, make_model: MakeModel) -> None:
    server.script = [abrupt("pour")]
    with pytest.raises(EmbeddingRejected, match="longer than"):
        embed_checked(make_model(), TEXTS, DOCUMENT)


def test_retry_after_is_waited_for(server: ScriptedServer, make_model: MakeModel) -> None:
    server.script = [echo(429, Retry_After="0.4")]
    started = time.monotonic()
    embedded = embed_checked(make_model(max_wait=1.0), TEXTS, DOCUMENT)
    assert 0.4 <= time.monotonic() - started < 3
    assert embedded.usage.calls == 2


def test_retry_after_as_a_date_is_waited_for(server: ScriptedServer, make_model: MakeModel) -> None:
    # A date has whole seconds: two ahead are between one and two.
    server.script = [echo(503, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True))]
    started = time.monotonic()
    embed_checked(make_model(max_wait=5.0), TEXTS, DOCUMENT)
    assert 0.9 <= time.monotonic() - started < 4


@pytest.mark.parametrize("value", ["3600", "1e9", "9" * 400])
def test_retry_after_that_is_too_long_ends_the_attempts(
    server: ScriptedServer, make_model: MakeModel, value: str
) -> None:
    server.script = [echo(429, Retry_After=value)] * 9
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable):
        embed_checked(make_model(), TEXTS, DOCUMENT)
    assert time.monotonic() - started < 3
    assert len(server.requests) == (3 if value == "1e9" else 1)  # that one is not legible, so an ordinary pause


def test_no_attempt_is_made_beyond_the_deadline(server: ScriptedServer, make_model: MakeModel) -> None:
    server.script = [echo(429, Retry_After="30")] * 9
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable, match="HTTP 429"):
        embed_checked(make_model(max_wait=60), TEXTS, DOCUMENT, Deadline.after(10))
    assert time.monotonic() - started < 5, "it knows at once that the pause would be too long"
    assert len(server.requests) == 1


@pytest.mark.parametrize("step", ["hang", "drip"])
def test_hanging_server_ends_at_the_deadline(server: ScriptedServer, make_model: MakeModel, step: str) -> None:
    server.script = [abrupt(step)] * 9
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        embed_checked(make_model(timeout=20), TEXTS, DOCUMENT, Deadline.after(0.4))
    assert 0.35 < time.monotonic() - started < 10
    assert len(server.requests) == 1


def test_deadline_that_has_passed_sends_nothing(server: ScriptedServer, make_model: MakeModel) -> None:
    with pytest.raises(DeadlineExceeded):
        embed_checked(make_model(), TEXTS, DOCUMENT, Deadline.after(0))
    assert server.requests == []


def test_cancelling_leaves_a_hanging_call(server: ScriptedServer, make_model: MakeModel) -> None:
    server.script = [abrupt("hang")]
    cancellation = Cancellation()
    threading.Timer(0.3, cancellation.cancel).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        embed_checked(make_model(timeout=20), TEXTS, DOCUMENT, cancellation=cancellation)
    assert time.monotonic() - started < 10
