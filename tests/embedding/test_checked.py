"""The door: what goes in, what comes out, and what an error says."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg.contract.context import Cancellation, Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.batch import plan_batches
from ragspine_pg.embedding.hashing import HashingModel
from ragspine_pg.errors import (
    BudgetExceeded,
    Cancelled,
    ConfigurationError,
    DeadlineExceeded,
    EmbeddingError,
    EmbeddingRejected,
    EmbeddingUnavailable,
    InvalidEmbeddingInput,
    RagSpineError,
)
from tests.embedding.faulty import Faulty
from tests.embedding.silence import CANARY, assert_silent

DOCUMENT = EmbeddingTask.RETRIEVAL_DOCUMENT
TEXTS = ["one", CANARY, "three"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is blank"),
        (" \t\n\u3000", "is blank"),
        (f"{CANARY}\0", "NUL or a lone surrogate at offset 29"),
        (f"{CANARY}\ud800", "NUL or a lone surrogate at offset 29"),
        (None, "is a NoneType"),
        (CANARY.encode(), "is a bytes"),
    ],
)
def test_text_that_cannot_be_embedded_is_named_before_any_call(text: Any, said: str) -> None:
    model = Faulty(items=1)
    with pytest.raises(InvalidEmbeddingInput, match=said) as raised:
        embed_checked(model, ["good", "good", text], DOCUMENT, labels=["a", "b", "doc-7"])
    assert str(raised.value).startswith("texts[2] (doc-7) ")
    assert raised.value.ids == {"position": 2, "label": "doc-7"}
    assert model.calls == []
    assert_silent(raised.value)


@pytest.mark.parametrize(("texts", "labels"), [("one text", None), (["a"], ["x", "y"]), (["a"], "x")])
def test_texts_and_labels_are_sequences_of_one_length(texts: Any, labels: Any) -> None:
    with pytest.raises(InvalidEmbeddingInput):
        embed_checked(Faulty(), texts, DOCUMENT, labels=labels)


def test_no_texts_need_no_call() -> None:
    model = Faulty()
    assert embed_checked(model, [], DOCUMENT) == Embedded((), Usage())
    assert model.calls == []


FAULTS: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "one too few": (lambda vectors: vectors[:-1], "gave back 2 vectors for 3 texts"),
    "one too many": (lambda vectors: [*vectors, vectors[0]], "gave back 4 vectors for 3 texts"),
    "none": (lambda vectors: [], "gave back 0 vectors for 3 texts"),
    "no Embedded": (lambda vectors: tuple(vectors), "gave back a tuple"),
    "no sequence": (lambda vectors: Embedded(iter(vectors)), "no sequence of vectors"),  # type: ignore[arg-type]
    "no usage": (lambda vectors: Embedded(vectors, {"tokens": 1}), "no usage"),  # type: ignore[arg-type]
    "too short": (lambda vectors: vectors[1].pop(), "has 15 dimensions, not 16"),
    "too long": (lambda vectors: vectors[1].append(0.0), "has 17 dimensions, not 16"),
    "NaN": (lambda vectors: vectors[1].__setitem__(15, math.nan), "not finite"),
    "infinite": (lambda vectors: vectors[1].__setitem__(0, math.inf), "not finite"),
    "infinite in float32": (lambda vectors: vectors[1].__setitem__(0, 1e39), "not finite"),
    "zero": (lambda vectors: vectors[1].__setitem__(slice(None), [0.0] * 16), "is zero"),
    "zero in float32": (lambda vectors: vectors[1].__setitem__(slice(None), [1e-60] * 16), "is zero"),
    "not normalised": (lambda vectors: vectors[1].__setitem__(slice(None), [0.3] * 16), "length 1.200"),
    "a text": (lambda vectors: vectors[1].__setitem__(0, CANARY), "no number"),
    "nothing": (lambda vectors: vectors[1].__setitem__(0, None), "no number"),
    "a bool": (lambda vectors: vectors[1].__setitem__(0, True), "no number"),
    "bytes": (lambda vectors: vectors.__setitem__(1, b"0123456789abcdef"), "no dimensions"),
    "a string": (lambda vectors: vectors.__setitem__(1, "0123456789abcdef"), "no dimensions"),
    "a number": (lambda vectors: vectors.__setitem__(1, 0.5), "no dimensions"),
}


def plant(fault: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    """The fault, without what a method that changes in place happens to return."""

    def planted(vectors: list[Any]) -> Any:
        made = fault(vectors)
        return made if isinstance(made, list | tuple | Embedded) else None

    return planted


@pytest.mark.parametrize(("fault", "said"), FAULTS.values(), ids=FAULTS)
def test_bad_output_is_rejected_and_names_the_item(fault: Callable[[list[Any]], Any], said: str) -> None:
    with pytest.raises(EmbeddingRejected, match=said) as raised:
        embed_checked(Faulty(plant(fault)), TEXTS, DOCUMENT, labels=["a", "b", "c"])
    if "its vector" in str(raised.value):
        assert raised.value.ids == {"position": 1, "label": "b"}
    else:
        assert raised.value.ids == {"first": 0, "last": 2}
    assert_silent(raised.value)


def test_position_counts_over_all_batches() -> None:
    def fault(vectors: list[Any]) -> None:
        if len(model.calls) == 3:
            vectors[1][0] = math.nan

    model = Faulty(fault, items=2)
    with pytest.raises(EmbeddingRejected, match=r"^texts\[5\]: its vector"):
        embed_checked(model, ["w"] * 9, DOCUMENT)
    assert len(model.calls) == 3


def test_what_a_model_says_of_a_text_does_not_come_out() -> None:
    def fault(vectors: list[Any]) -> None:
        raise ValueError(f"cannot read {CANARY!r}")

    with pytest.raises(EmbeddingError, match=r"'faulty' failed with ValueError") as raised:
        embed_checked(Faulty(fault), TEXTS, DOCUMENT)
    assert_silent(raised.value)


def test_error_hides_texts_has_teeth() -> None:
    error = EmbeddingError("short")
    error.__context__ = ValueError(CANARY)
    with pytest.raises(AssertionError, match="ValueError quotes a text"):
        assert_silent(error)


class Quoting(EmbeddingUnavailable):
    """A foreign model's own kind of ours, which is not made as ours are."""

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)
        self.text = text


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize(
    ("error", "kind", "kept"),
    [
        (EmbeddingUnavailable(CANARY, host=CANARY, attempts=3), EmbeddingUnavailable, {"attempts": 3}),
        (EmbeddingRejected(CANARY, position=1, label=CANARY), EmbeddingRejected, {"position": 1, "label": "b"}),
        (InvalidEmbeddingInput(CANARY, position=1), InvalidEmbeddingInput, {"position": 1}),
        (EmbeddingRejected(CANARY, position=CANARY, attempts=True), EmbeddingRejected, {"first": 0}),
        (DeadlineExceeded(f"x {CANARY}", document=CANARY), DeadlineExceeded, {}),
        (Cancelled(CANARY), Cancelled, {}),
        (BudgetExceeded(CANARY), BudgetExceeded, {}),
        (EmbeddingError(CANARY), EmbeddingError, {}),
        (ConfigurationError(CANARY), EmbeddingError, {}),
        (Quoting(CANARY), EmbeddingUnavailable, {}),
    ],
)
def test_a_foreign_models_error_keeps_its_kind_and_is_told_in_our_words(
    error: RagSpineError, kind: type[RagSpineError], kept: dict[str, Any], remote: bool
) -> None:
    def fault(vectors: list[Any]) -> None:
        raise error

    with pytest.raises(kind, match="embedding model 'faulty' failed with ") as raised:
        embed_checked(Faulty(fault, remote=remote), TEXTS, DOCUMENT, Deadline.after(60), labels=["a", "b", "c"])
    assert type(raised.value) is kind
    assert kept.items() <= raised.value.ids.items()
    assert_silent(raised.value)


class Lazy(list[Any]):
    """Vectors that are only made, and fail, when they are read."""

    def __init__(self, vectors: list[Any], method: str) -> None:
        super().__init__(vectors)
        self.method = method

    def __len__(self) -> int:
        if self.method == "len":
            raise DeadlineExceeded(CANARY)
        return super().__len__()

    def __iter__(self) -> Any:
        if self.method == "iter":
            raise EmbeddingRejected(CANARY)
        return super().__iter__()


@pytest.mark.parametrize("method", ["len", "iter"])
@pytest.mark.parametrize("each", [False, True])
def test_vectors_that_fail_while_they_are_read_say_no_text(method: str, each: bool) -> None:
    def fault(vectors: list[Any]) -> Embedded:
        made = [Lazy(vector, method) for vector in vectors] if each else Lazy(vectors, method)
        return Embedded(made, Usage())

    with pytest.raises(EmbeddingRejected) as raised:
        embed_checked(Faulty(fault), TEXTS, DOCUMENT)
    assert_silent(raised.value)


def test_our_own_models_error_keeps_its_words_and_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    error = EmbeddingUnavailable("asked h 3 times", host="h", attempts=3)

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(HashingModel, "embed", fail)
    with pytest.raises(EmbeddingUnavailable, match="asked h 3 times") as raised:
        embed_checked(HashingModel(16), TEXTS, DOCUMENT)
    assert error.ids.items() <= raised.value.ids.items()


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_rows_of_an_array_are_vectors(dtype: str) -> None:
    plain = embed_checked(Faulty(), TEXTS, DOCUMENT)
    rows = embed_checked(Faulty(lambda vectors: list(numpy.array(vectors, dtype=dtype))), TEXTS, DOCUMENT)
    for one, other in zip(plain.vectors, rows.vectors, strict=True):
        assert list(one) == pytest.approx(list(other), abs=1e-3)


def test_vectors_are_what_float32_holds() -> None:
    vector = embed_checked(Faulty(), ["three words here"], DOCUMENT).vectors[0]
    assert list(vector) == numpy.array(vector, dtype="float32").astype("float64").tolist()


def test_limits_of_another_kind_are_refused() -> None:
    model = Faulty()
    model.limits = {"items": 3}  # type: ignore[assignment]
    with pytest.raises(ConfigurationError, match="limits"):
        embed_checked(model, ["a"], DOCUMENT)


def test_cancelled_call_sends_no_further_batch() -> None:
    cancellation = Cancellation()
    model = Faulty(lambda vectors: cancellation.cancel(), items=1)
    with pytest.raises(Cancelled):
        embed_checked(model, TEXTS, DOCUMENT, cancellation=cancellation)
    assert len(model.calls) == 1


def test_deadline_between_batches_sends_no_further_batch() -> None:
    model = Faulty(lambda vectors: time.sleep(0.1), items=1)
    with pytest.raises(DeadlineExceeded):
        embed_checked(model, ["w"] * 50, DOCUMENT, Deadline.after(1.0))
    assert 1 <= len(model.calls) <= 10


def test_remote_model_that_ignores_the_deadline_is_left_behind() -> None:
    release = threading.Event()
    model = Faulty(lambda vectors: release.wait(5) and None, remote=True)
    started = time.monotonic()
    try:
        with pytest.raises(DeadlineExceeded):
            embed_checked(model, TEXTS, DOCUMENT, Deadline.after(0.2))
        assert time.monotonic() - started < 2
    finally:
        release.set()


def test_first_failure_stops_batches_that_have_not_begun() -> None:
    lock, seen = threading.Lock(), []

    def fault(vectors: list[Any]) -> None:
        with lock:
            seen.append(len(vectors))
        time.sleep(0.05)
        raise EmbeddingUnavailable("busy")

    with pytest.raises(EmbeddingUnavailable):
        embed_checked(Faulty(fault, items=1, concurrency=2), ["w"] * 100, DOCUMENT)
    assert len(seen) <= 4


@given(
    sizes=st.lists(st.integers(1, 30), max_size=60),
    items=st.integers(1, 9),
    characters=st.integers(1, 50),
    concurrency=st.integers(1, 3),
)
@settings(deadline=None)
def test_batching_changes_no_vector(sizes: Sequence[int], items: int, characters: int, concurrency: int) -> None:
    texts = [f"{number} " + "x" * size for number, size in enumerate(sizes)]
    limits = EmbeddingLimits(items, characters, concurrency)
    spans = plan_batches(texts, limits)
    assert [position for span in spans for position in span] == list(range(len(texts)))
    assert all(
        0 < len(span) <= items and (len(span) == 1 or sum(len(texts[at]) for at in span) <= characters)
        for span in spans
    )
    model = Faulty(items=items, characters=characters, concurrency=concurrency)
    whole = HashingModel(16).embed(texts, DOCUMENT).vectors
    embedded = embed_checked(model, texts, DOCUMENT)
    assert [list(one) for one in embedded.vectors] == [pytest.approx(list(other), abs=1e-6) for other in whole]
    assert embedded.usage.items == len(texts)
    assert embedded.usage.calls == len(spans) == len(model.calls)
