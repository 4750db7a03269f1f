"""Where people look for ``rrf_fuse``; it lives in the retrieval room."""

from ragspine_pg.retrieval.fuse import rrf_fuse

__all__ = ["rrf_fuse"]
