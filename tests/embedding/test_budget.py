"""The one door to models asks the budget before each request, and charges it with what each cost."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from ragspine_pg import Budget, Embedded, EmbeddingTask, Usage
from ragspine_pg.embedding import embed_checked
from ragspine_pg.embedding.openai import OpenAIModel
from ragspine_pg.errors import BudgetExceeded, EmbeddingError, EmbeddingRejected, EmbeddingUnavailable
from tests.embedding.faulty import Faulty
from tests.embedding.scripted import ScriptedServer, changed, echo

DOCUMENT = EmbeddingTask.RETRIEVAL_DOCUMENT
MakeModel = Callable[..., OpenAIModel]


def assert_heeded(model: Any, asked: Callable[[], int]) -> None:
    """The core: two of three batches go out, and the third, for which nothing is left, does not."""
    budget = Budget(calls=2)
    with pytest.raises(BudgetExceeded):
        embed_checked(model, ["one", "two", "three"], DOCUMENT, budget=budget)
    assert asked() == 2
    assert budget.spent.calls == 2


def test_a_batch_beyond_the_budget_is_not_sent(server: ScriptedServer, make_model: MakeModel) -> None:
    assert_heeded(make_model(batch_items=1, concurrency=1), lambda: len(server.requests))
    model = Faulty(items=1)
    assert_heeded(model, lambda: len(model.calls))


def test_a_batch_beyond_the_budget_has_teeth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "take", lambda self: None)
    model = Faulty(items=1)
    with pytest.raises(pytest.fail.Exception):
        assert_heeded(model, lambda: len(model.calls))


def test_batches_that_run_at_once_share_the_budget(server: ScriptedServer, make_model: MakeModel) -> None:
    budget = Budget(calls=3)
    with pytest.raises(BudgetExceeded):
        embed_checked(make_model(batch_items=1, concurrency=4), ["w"] * 12, DOCUMENT, budget=budget)
    assert len(server.requests) <= 3
    assert budget.spent.calls <= 3


def test_calls_share_a_budget_and_the_tokens_that_they_cost(server: ScriptedServer, make_model: MakeModel) -> None:
    budget, model = Budget(tokens=5), make_model()
    embed_checked(model, ["two words"], DOCUMENT, budget=budget)
    usage = embed_checked(model, ["and", "four words besides these"], DOCUMENT, budget=budget).usage
    spent = budget.spent
    assert (usage.items, usage.tokens, usage.calls) == (2, 5, 1)
    assert (spent.items, spent.tokens, spent.calls) == (3, 7, 2), "the last request may go beyond"
    with pytest.raises(BudgetExceeded, match="7 of 5 tokens"):
        embed_checked(model, ["more"], DOCUMENT, budget=budget)
    assert len(server.requests) == 2


def test_every_attempt_is_charged(server: ScriptedServer, make_model: MakeModel) -> None:
    server.script = [echo(429), echo(503)]
    budget = Budget()
    embed_checked(make_model(), ["a", "b"], DOCUMENT, budget=budget)
    assert (budget.spent.calls, budget.spent.items) == (3, 2)
    server.script = [echo(429)] * 3
    with pytest.raises(EmbeddingUnavailable):
        embed_checked(make_model(), ["a"], DOCUMENT, budget=budget)
    assert budget.spent.calls == len(server.requests) == 6
    server.script = [echo(400)]
    with pytest.raises(EmbeddingError, match="HTTP 400"):
        embed_checked(make_model(), ["a"], DOCUMENT, budget=budget)
    assert budget.spent.calls == 7


def test_vectors_that_are_refused_were_paid_for(server: ScriptedServer, make_model: MakeModel) -> None:
    def zero(answer: dict[str, Any]) -> None:
        answer["data"][0]["embedding"] = [0.0] * 8

    server.script = [changed(zero)]
    budget = Budget()
    with pytest.raises(EmbeddingRejected):
        embed_checked(make_model(), ["three words here"], DOCUMENT, budget=budget)
    assert (budget.spent.calls, budget.spent.tokens) == (1, 3)


@pytest.mark.parametrize("usage", [Usage(), Usage(items=-9, tokens=-9, calls=-9, seconds=-9.0)])
def test_a_model_that_counts_wrong_gets_nothing_back(usage: Usage) -> None:
    model = Faulty()
    model._fault = lambda vectors: Embedded(vectors, usage)
    budget = Budget(calls=2)
    for _ in range(2):
        embed_checked(model, ["w"], DOCUMENT, budget=budget)
    assert budget.spent == Usage(calls=2)
    with pytest.raises(BudgetExceeded):
        embed_checked(model, ["w"], DOCUMENT, budget=budget)


def test_threads_share_a_budget() -> None:
    model, budget, refused = Faulty(), Budget(calls=5), []

    def embed() -> None:
        try:
            embed_checked(model, ["w"], DOCUMENT, budget=budget)
        except BudgetExceeded as error:
            refused.append(error)

    threads = [threading.Thread(target=embed) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(model.calls), len(refused), budget.spent.calls) == (5, 7, 5)


def test_what_is_never_sent_costs_nothing() -> None:
    budget = Budget(calls=0)
    assert embed_checked(Faulty(), [], DOCUMENT, budget=budget).vectors == ()
    with pytest.raises(EmbeddingError, match="is blank"):
        embed_checked(Faulty(), [" "], DOCUMENT, budget=budget)
