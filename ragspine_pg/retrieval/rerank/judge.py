"""Asks a reranker, bounded in time, and takes its answer only if it judges every text once."""

import contextvars
import math
import operator
import threading
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.fault import log_fault
from ragspine_pg.contract.idempotency import key_option
from ragspine_pg.contract.judgement import Judgement
from ragspine_pg.contract.ports import Reranker
from ragspine_pg.errors import RerankError, RerankFailed, RerankRejected, RerankUnavailable


def judge(
    reranker: Reranker,
    query: str,
    texts: Sequence[str],
    *,
    seconds: float,
    deadline: Deadline | None = None,
    idempotency_key: str | None = None,
) -> list[float]:
    """The score of each text, in their order; ``idempotency_key`` is handed to a reranker that takes it.

    Raises ``RerankUnavailable`` when the reranker cannot be reached, or gives no whole answer within ``seconds`` or
    before the deadline, ``RerankFailed`` when its own code raises anything else, and ``RerankRejected`` when it does
    not judge each text once with a finite number. The message holds nothing of query, texts or answer.
    """
    limit = Deadline.after(seconds)
    if deadline is not None and deadline.at < limit.at:
        limit = deadline
    answer: SimpleQueue[list[Any] | RerankError] = SimpleQueue()

    def ask() -> None:
        try:
            given = reranker.rerank(query, tuple(texts), deadline=limit, **key_option(reranker.rerank, idempotency_key))
            answer.put(list(islice(given, len(texts) + 1)))
        except RerankError as error:
            answer.put(error)
        except BaseException as error:  # noqa: BLE001 - an application's own code; its message could quote a text
            log_fault(f"reranker {reranker.name!r}", error)
            away = isinstance(error, ConnectionError | TimeoutError)
            answer.put((RerankUnavailable if away else RerankFailed)(type(error).__name__))

    # A thread of its own, given up when it takes too long: nothing can stop a function that does not come back.
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(ask,), name="ragspine-rerank", daemon=True).start()
    try:
        given = answer.get(timeout=max(0.0, limit.at - time.monotonic()))
    except Empty:
        raise RerankUnavailable("no judgement in time") from None
    if isinstance(given, RerankError):
        raise type(given)(f"reranker {reranker.name!r} failed: {given}")
    return _scores(given, len(texts))


def _scores(judgements: Iterable[Any], count: int) -> list[float]:
    scores: dict[int, float] = {}
    for judgement in judgements:
        if not isinstance(judgement, Judgement) or isinstance(judgement.index, bool):
            raise RerankRejected("the answer holds what is no judgement")
        try:
            index, score = operator.index(judgement.index), float(judgement.score)
        except (TypeError, ValueError, OverflowError):
            raise RerankRejected("the answer holds a judgement without an index and a score") from None
        if not 0 <= index < count:
            raise RerankRejected("the answer judges a text that was not sent")
        if index in scores:
            raise RerankRejected("the answer judges a text twice")
        if not math.isfinite(score):
            raise RerankRejected("the answer holds a score that is not finite")
        scores[index] = score
    if len(scores) != count:
        raise RerankRejected("the answer does not judge every text")
    return [scores[index] for index in range(count)]
