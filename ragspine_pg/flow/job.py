"""A job: one call in several transactions, as a generator of flows, each of which gets a transaction of its own.

The flow's value arrives where it was yielded, and so does its error: a job can go on in another transaction after one
was rolled back. On a connection that was lent inside a transaction all of them are savepoints of that one.
"""

from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow.steps import Flow

T = TypeVar("T")

Job: TypeAlias = Generator[Flow[Any], Any, T]


def transaction(flow: Flow[T]) -> Job[T]:
    """What ``flow`` gives in a transaction of its own."""
    value: T = yield flow
    return value


def run_job(job: Job[T], drive: Callable[[Flow[Any]], Any]) -> T:
    """Run ``job`` to its end; ``drive`` runs a flow in a transaction and commits it. The job is always closed."""
    try:
        flow = next(job)
        while True:
            try:
                value = drive(flow)
            except RagSpineError as error:
                flow = job.throw(error)
            else:
                flow = job.send(value)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        job.close()
