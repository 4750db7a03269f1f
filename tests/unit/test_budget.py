"""A budget counts what is spent, lets nobody begin beyond it, and is the same for all threads."""

import math
import pickle
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_pg import Budget, RagSpineError, RetrievalContext, Usage
from ragspine_pg.errors import BudgetExceeded, ConfigurationError, QueryError

COUNTS = st.integers(-50, 50)
LIMITS = st.none() | st.integers(0, 60)
SECONDS = st.floats(-100, 100) | st.just(math.nan)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, SECONDS)


@given(calls=LIMITS, tokens=LIMITS, events=st.lists(st.none() | USAGES, max_size=40))
def test_spending_only_grows_and_nothing_begins_beyond_a_limit(
    calls: int | None, tokens: int | None, events: list[Usage | None]
) -> None:
    budget = Budget(calls, tokens)
    assert (budget.calls, budget.tokens) == (calls, tokens)
    for event in events:
        before = budget.spent
        if event is not None:
            budget.charge(event)
        else:
            spent_out = [
                name
                for name, limit in (("calls", calls), ("tokens", tokens))
                if limit is not None and getattr(before, name) >= limit
            ]
            if spent_out:
                with pytest.raises(BudgetExceeded) as raised:
                    budget.take()
                assert raised.value.ids["limit"] == spent_out[0]
                assert budget.spent == before, "a request that is not made costs nothing"
            else:
                budget.take()
                assert budget.spent == before + Usage(calls=1)
        after = budget.spent
        for name in ("items", "tokens", "calls", "seconds"):
            assert getattr(after, name) >= getattr(before, name) >= 0


@pytest.fixture
def busy_switching() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def _spend_in_threads(budget: Budget, threads: int = 8) -> tuple[int, int]:
    """How many requests were begun by all threads together, each until the budget refuses; and how many refusals."""
    begun, refused = [0] * threads, [0] * threads
    barrier = threading.Barrier(threads)

    def spend(number: int) -> None:
        barrier.wait()
        for _ in range(2_000):
            try:
                budget.take()
            except BudgetExceeded:
                refused[number] += 1
                return
            begun[number] += 1
            budget.charge(Usage(items=1, tokens=2))

    running = [threading.Thread(target=spend, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sum(begun), sum(refused)


@pytest.mark.usefixtures("busy_switching")
def test_threads_together_begin_as_many_requests_as_there_are_calls() -> None:
    budget = Budget(calls=1_000)
    assert _spend_in_threads(budget) == (1_000, 8)
    assert budget.spent == Usage(items=1_000, tokens=2_000, calls=1_000)


class _Forgetful:
    """A lock that locks nothing, and lets another thread go first."""

    def __enter__(self) -> None:
        threading.Event().wait(0)

    def __exit__(self, *_: Any) -> None:
        pass


@pytest.mark.usefixtures("busy_switching")
def test_threads_together_has_teeth() -> None:
    for _ in range(20):
        budget = Budget(calls=1_000)
        budget._lock = _Forgetful()  # type: ignore[assignment]
        if (_spend_in_threads(budget), budget.spent) != ((1_000, 8), Usage(1_000, 2_000, 1_000)):
            return
    pytest.fail("threads that are not kept apart were not told from those that are")


@pytest.mark.parametrize("limit", [-1, 1.0, True, "3", math.nan])
@pytest.mark.parametrize("name", ["calls", "tokens"])
def test_a_limit_that_is_no_number_from_0_on_is_refused(name: str, limit: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} of a Budget is a whole number from 0 on") as raised:
        Budget(**{name: limit})
    assert raised.value.ids == {"argument": name}


def test_what_is_no_usage_is_not_charged() -> None:
    budget = Budget()
    with pytest.raises(ConfigurationError, match="usage"):
        budget.charge(3)  # type: ignore[arg-type]
    assert budget.spent == Usage()


def test_the_error_is_a_query_error_that_says_which_limit() -> None:
    budget = Budget(calls=0)
    with pytest.raises(QueryError, match="budget: 0 of 0 calls are spent") as raised:
        budget.take()
    assert (raised.value.code, raised.value.retryable) == ("budget_exceeded", False)
    assert raised.value.ids == {"limit": "calls", "allowed": 0, "spent": 0}
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), again.ids) == (BudgetExceeded, raised.value.ids)


@pytest.mark.parametrize("key", ["", " ", "two words", "a\nb", "schlüssel", "x" * 201, b"key", 7])
def test_a_key_that_no_header_carries_is_refused(key: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^idempotency_key is 1 to 200 ") as raised:
        RetrievalContext(idempotency_key=key)
    assert raised.value.ids == {"argument": "idempotency_key"}


def test_a_context_takes_a_budget_and_a_key() -> None:
    with pytest.raises(RagSpineError, match=r"budget is a Budget: Budget\(calls=…, tokens=…\)"):
        RetrievalContext(budget=20)  # type: ignore[arg-type]
    budget = Budget(3)
    context = RetrievalContext(allow_partial=True, budget=budget, idempotency_key="x" * 200)
    assert context.for_one_leg().budget is budget
    assert "calls=3, tokens=None" in repr(context)
