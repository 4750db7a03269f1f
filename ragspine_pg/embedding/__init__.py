"""Embedding models, and the one door to them: ``embed_checked``."""

from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.registry import EMBEDDING_MODELS, ENTRY_POINT_GROUP, make_embedding_model

__all__ = ["EMBEDDING_MODELS", "ENTRY_POINT_GROUP", "embed_checked", "make_embedding_model"]
