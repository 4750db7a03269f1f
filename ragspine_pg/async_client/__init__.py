"""The facade's awaited shells: the twins of ``ragspine_pg.client``, over the same flows."""

from ragspine_pg.async_client.ingestor import AsyncIngestor
from ragspine_pg.async_client.library import AsyncLibrary
from ragspine_pg.async_client.retriever import AsyncBoundRetriever, AsyncRetriever
from ragspine_pg.async_client.spine import AsyncRagSpine

__all__ = ["AsyncBoundRetriever", "AsyncIngestor", "AsyncLibrary", "AsyncRagSpine", "AsyncRetriever"]
