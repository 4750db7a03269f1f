"""The order of reranking: exit, judge, order. The hits stay what they were."""

import time
from collections.abc import Collection, Sequence
from dataclasses import replace

from ragspine_pg.contract.access import Access
from ragspine_pg.contract.context import RetrievalContext
from ragspine_pg.contract.ports import Reranker
from ragspine_pg.contract.result import Hit, SearchResult
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import BudgetExceeded, RerankError
from ragspine_pg.retrieval.exits.rerank import hits_through_rerank
from ragspine_pg.retrieval.rerank.judge import judge
from ragspine_pg.retrieval.shorten import with_hits


def rerank_result(
    result: SearchResult,
    reranker: Reranker,
    access: Access,
    k: int,
    *,
    seconds: float,
    context: RetrievalContext | None = None,
    confidential_libraries: Collection[str] = (),
) -> SearchResult:
    """The k best of ``result`` in the judge's order; equal scores keep theirs.

    A hit whose text the exit holds back is not judged and keeps its place, with the warning ``reranker_withheld``. When
    the judge fails, or is not asked since the budget of ``context`` is spent, all do, with the warning
    ``reranker_failed:<code>``. Nothing else changes but ``score``, ``scores`` and ``ranks``: see
    ``RerankingRetriever``.
    """
    started = time.monotonic()
    context = RetrievalContext() if context is None else context
    sent = hits_through_rerank(
        result.hits, access, remote=reranker.remote, confidential_libraries=confidential_libraries
    )
    warnings = [] if len(sent) == len(result.hits) else ["reranker_withheld"]
    if not sent:
        return with_hits(result, result.hits[:k], k, warnings=warnings)
    try:
        if context.budget is not None:
            context.budget.take()
    except BudgetExceeded as error:  # nobody was asked
        return with_hits(result, result.hits[:k], k, warnings=[*warnings, f"reranker_failed:{error.code}"])
    try:
        scores = judge(
            reranker,
            result.query,
            [hit.text for hit in sent],
            seconds=seconds,
            deadline=context.deadline,
            idempotency_key=context.idempotency_key,
        )
    except RerankError as error:
        hits: Sequence[Hit] = result.hits
        warnings.append(f"reranker_failed:{error.code}")
    else:
        hits = _ordered(result.hits, sent, scores)
    spent = Usage(items=len(sent), calls=1, seconds=time.monotonic() - started)
    if context.budget is not None:
        context.budget.charge(replace(spent, calls=0))  # the call was taken before it was made
    return replace(with_hits(result, hits[:k], k, warnings=warnings), usage=result.usage + spent)


def _ordered(hits: Sequence[Hit], sent: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    best_first = sorted(range(len(sent)), key=lambda place: (-scores[place], place))
    judged = iter(
        replace(
            sent[place],
            score=scores[place],
            scores={**sent[place].scores, "fused": sent[place].score, "rerank": scores[place]},
            ranks={**sent[place].ranks, "fused": sent[place].rank, "rerank": rank},
        )
        for rank, place in enumerate(best_first, start=1)
    )
    places = {id(hit) for hit in sent}
    return [next(judged) if id(hit) in places else hit for hit in hits]
