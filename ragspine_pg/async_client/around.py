"""The awaiting driver of what stands around a retriever."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow.steps import Work
from ragspine_pg.retrieval.around import Around, Call, Describe, Search

T = TypeVar("T")


async def perform(
    flow: Around[T],
    search: Callable[..., Awaitable[Any]],
    describe: Callable[..., Awaitable[Any]] | None = None,
) -> T:
    """``client.around.perform``, awaited; routers, extractors and judges are called in threads."""
    try:
        call = next(flow)
        while True:
            try:
                reply = await _reply(call, search, describe)
            except RagSpineError as error:
                call = flow.throw(error)
            else:
                call = flow.send(reply)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        flow.close()


async def _reply(
    call: Call, search: Callable[..., Awaitable[Any]], describe: Callable[..., Awaitable[Any]] | None
) -> Any:
    match call:
        case Work(run=run):
            return await asyncio.to_thread(run)
        case Search(query=query, options=options):
            return await search(query, **options)
        case Describe(query=query, options=options):
            if describe is None:
                raise TypeError("this retriever describes no libraries")
            return await describe(query, **options)
