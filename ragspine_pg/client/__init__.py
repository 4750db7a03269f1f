"""The facade's blocking shells: they hold no logic, they open a transaction and drive a flow."""

from ragspine_pg.client.ingestor import Ingestor
from ragspine_pg.client.library import Library
from ragspine_pg.client.retriever import BoundRetriever, Retriever
from ragspine_pg.client.spine import RagSpine

__all__ = ["BoundRetriever", "Ingestor", "Library", "RagSpine", "Retriever"]
