"""Reranking: a judge's order for candidates that were found already."""

from ragspine_pg.contract.judgement import Judgement
from ragspine_pg.contract.ports import Reranker
from ragspine_pg.retrieval.rerank.adapter import CallableReranker
from ragspine_pg.retrieval.rerank.http import HttpReranker
from ragspine_pg.retrieval.rerank.registry import RERANKERS, make_reranker

__all__ = ["RERANKERS", "CallableReranker", "HttpReranker", "Judgement", "Reranker", "make_reranker"]
