"""``client.wrapping``, awaited: the retrievers that settings name, one around the other."""

from typing import TYPE_CHECKING

from ragspine_pg.async_client.filter_extracting import AsyncFilterExtractingRetriever
from ragspine_pg.async_client.multi_index import AsyncMultiIndexRetriever
from ragspine_pg.async_client.reranking import AsyncRerankingRetriever
from ragspine_pg.async_client.retriever import AsyncRetriever
from ragspine_pg.client.wrapping import Seams, chosen_seams
from ragspine_pg.contract.ports import AsyncSearcher

if TYPE_CHECKING:
    from ragspine_pg.config import ServiceConfig


def wrap_async_retriever(retriever: AsyncRetriever, config: "ServiceConfig | None" = None) -> AsyncSearcher:
    """See ``wrap_retriever``."""
    return async_wrapped_in(chosen_seams(config), retriever._plain)


def async_wrapped_in(seams: Seams, plain: AsyncRetriever) -> AsyncSearcher:
    """See ``wrapped_in``."""
    wrapped: AsyncSearcher = plain
    if seams.router is not None:
        wrapped = AsyncMultiIndexRetriever(plain, seams.router)
    if seams.extractor is not None:
        wrapped = AsyncFilterExtractingRetriever(wrapped, seams.extractor)
    if seams.reranker is not None:
        wrapped = AsyncRerankingRetriever(wrapped, seams.reranker)
    return wrapped
