"""The one door to every embedding model."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ragspine_pg.contract.budget import Budget
from ragspine_pg.contract.context import Cancellation, Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.fault import log_fault
from ragspine_pg.contract.idempotency import key_option
from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.batch import plan_batches
from ragspine_pg.embedding.examine import examine_embedded, examine_texts, ids, place
from ragspine_pg.embedding.foreign import in_our_words
from ragspine_pg.errors import ConfigurationError, EmbeddingError, EmbeddingUnavailable, RagSpineError

_POLL_SECONDS = 0.1

_Batch = tuple[list[Sequence[float]], Usage]


def embed_checked(
    model: EmbeddingModel,
    texts: Sequence[str],
    task: EmbeddingTask,
    deadline: Deadline | None = None,
    *,
    labels: Sequence[str] | None = None,
    cancellation: Cancellation | None = None,
    budget: Budget | None = None,
    idempotency_key: str | None = None,
) -> Embedded:
    """One float32 vector a text, in order, checked; usage is the sum over all calls, its seconds the whole time.

    Texts go out in batches within the model's ``limits``, as many at once as they allow. ``labels`` (ids, one a text)
    appear in errors beside the position; texts never do. ``budget`` is asked before each batch, and charged with it;
    ``idempotency_key`` is handed to a model that takes it.

    Raises ``InvalidEmbeddingInput`` before any call for a text that cannot be embedded; ``EmbeddingRejected``,
    ``EmbeddingUnavailable`` or ``EmbeddingError`` for what a model does; ``DeadlineExceeded``, ``Cancelled`` and
    ``BudgetExceeded``. It is all or nothing: no vector is given back beside an error. A call to a remote model is left
    behind at the deadline (it ends by its own timeout); one to a model on this machine is waited for.
    """
    items = examine_texts(texts, labels)
    task = EmbeddingTask(task)
    started = time.monotonic()
    if not items:
        return Embedded((), Usage())
    limits = getattr(model, "limits", None) or EmbeddingLimits()
    if not isinstance(limits, EmbeddingLimits):
        raise ConfigurationError(f"the limits of embedding model {model.name!r} are no EmbeddingLimits")
    spans = plan_batches(items, limits)
    option = key_option(model.embed, idempotency_key)

    def embed(span: range) -> _Batch:
        _check(deadline, cancellation)
        return _embed_batch(model, items, span, task, deadline, labels, budget, option)

    if (limits.concurrency > 1 and len(spans) > 1) or (model.remote and (deadline or cancellation)):
        with _threads(min(limits.concurrency, len(spans))) as (pool, stopped):
            futures = [pool.submit(_unless, stopped, embed, span) for span in spans]
            batches = list(_collect(futures, deadline, cancellation))
    else:
        batches = [embed(span) for span in spans]
    _check(deadline, cancellation)
    return Embedded(
        [vector for vectors, _ in batches for vector in vectors],
        Usage(
            items=len(items),
            tokens=sum(usage.tokens for _, usage in batches),
            calls=sum(usage.calls for _, usage in batches),
            seconds=time.monotonic() - started,
        ),
    )


def _check(deadline: Deadline | None, cancellation: Cancellation | None) -> None:
    if cancellation is not None:
        cancellation.check()
    if deadline is not None:
        deadline.remaining()


def _embed_batch(
    model: EmbeddingModel,
    items: Sequence[str],
    span: range,
    task: EmbeddingTask,
    deadline: Deadline | None,
    labels: Sequence[str] | None,
    budget: Budget | None,
    option: Mapping[str, Any],
) -> _Batch:
    failure: RagSpineError
    if budget is not None:
        budget.take()
    try:
        embedded = model.embed(items[span.start : span.stop], task, deadline=deadline, **option)
        usage, space = getattr(embedded, "usage", None), model.space
    except Exception as error:  # noqa: BLE001 - a foreign model's message may quote the text it was given
        failure = in_our_words(model, error)
        if failure is not error:
            log_fault(f"embedding model {model.name!r}", error)
    else:
        _charge(budget, usage)
        try:
            return examine_embedded(embedded, len(span), space)
        except EmbeddingError as error:
            failure = error
    attempts = failure.ids.get("attempts")
    if isinstance(attempts, int):
        _charge(budget, Usage(calls=attempts))
    # Raised out here, so that the model's own error, which may hold texts, does not hang on it as its context.
    raise _located(failure, span, labels) if isinstance(failure, EmbeddingError) else failure


def _charge(budget: Budget | None, usage: object) -> None:
    """Charge a request that was made, but for the one call that it took."""
    if budget is not None and isinstance(usage, Usage):  # what else it can be is refused with the vectors
        budget.charge(replace(usage, calls=usage.calls - 1))


def _located(error: EmbeddingError, span: range, labels: Sequence[str] | None) -> EmbeddingError:
    """The error with the item's position among all texts, or the batch's where it is about no single item."""
    within = error.ids.get("position")
    others = {name: value for name, value in error.ids.items() if name != "position"}
    if isinstance(within, int) and 0 <= within < len(span):
        position = span[within]
        return type(error)(f"{place(position, labels)}: {error}", **{**others, **ids(position, labels)})
    message = str(error) if isinstance(error, EmbeddingUnavailable) else f"texts[{span.start}:{span.stop}]: {error}"
    return type(error)(message, **{**others, "first": span.start, "last": span[-1]})


class _Stopped(Exception):
    """A batch was not begun because another had failed."""


def _unless(stopped: threading.Event, embed: Callable[[range], _Batch], span: range) -> _Batch:
    if stopped.is_set():
        raise _Stopped
    try:
        return embed(span)
    except BaseException:
        stopped.set()
        raise


@contextmanager
def _threads(workers: int) -> Iterator[tuple[ThreadPoolExecutor, threading.Event]]:
    """A pool that is not waited for when the block is left early: what is queued is dropped, what runs runs out."""
    pool, stopped = ThreadPoolExecutor(workers, thread_name_prefix="ragspine-embed"), threading.Event()
    try:
        yield pool, stopped
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)


def _collect(
    futures: Sequence[Future[_Batch]], deadline: Deadline | None, cancellation: Cancellation | None
) -> Iterator[_Batch]:
    """The batches in order, or the first error in order."""
    for future in futures:
        while True:
            _check(deadline, cancellation)
            longest = None if cancellation is None else _POLL_SECONDS
            if deadline is not None:
                longest = min(deadline.remaining(), longest or threading.TIMEOUT_MAX)
            try:
                batch = future.result(timeout=longest)
            except TimeoutError:
                continue
            except _Stopped:
                break
            yield batch
            break
