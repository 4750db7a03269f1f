"""The blocking driver of what stands around a retriever."""

from collections.abc import Callable
from typing import Any, TypeVar

from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow.steps import Work
from ragspine_pg.retrieval.around import Around, Call, Describe, Search

T = TypeVar("T")


def perform(flow: Around[T], search: Callable[..., Any], describe: Callable[..., Any] | None = None) -> T:
    """Drive ``flow`` to its end, by calls of ``search`` and ``describe``; errors of ours are thrown into it."""
    try:
        call = next(flow)
        while True:
            try:
                reply = _reply(call, search, describe)
            except RagSpineError as error:
                call = flow.throw(error)
            else:
                call = flow.send(reply)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()


def _reply(call: Call, search: Callable[..., Any], describe: Callable[..., Any] | None) -> Any:
    match call:
        case Work(run=run):
            return run()
        case Search(query=query, options=options):
            return search(query, **options)
        case Describe(query=query, options=options):
            if describe is None:
                raise TypeError("this retriever describes no libraries")
            return describe(query, **options)
