"""What a caller can put a text into: for every name of a parameter, the arguments that carry one.

An argument is made of a payload; making it may already be refused, by an error of ours.
"""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from ragspine_pg import Access, Document, MetadataFilter, RetrievalContext
from ragspine_pg.contract.explanation import Explanation

Value = Callable[[str], Any]


def itself(payload: str) -> str:
    """A text where a text is meant, and where none is."""
    return payload


def _cursor(payload: str) -> str:
    claims = {"versions": {payload: 1, "notes": 1}, "shown": {payload: [payload]}, "request": payload}
    return base64.urlsafe_b64encode(json.dumps(claims).encode("utf-8", "surrogatepass")).decode().rstrip("=")


_FILTERS: tuple[Value, ...] = (
    lambda p: MetadataFilter.where(p, "eq", p),
    lambda p: MetadataFilter.where("owner", "prefix", p),
    lambda p: MetadataFilter.where("owner", "in", [p, *(f"{p}{n}" for n in range(20))]),
    lambda p: MetadataFilter.where("owner", "between", ["", p]),
    lambda p: MetadataFilter.where("owner", p, "x"),
    lambda p: MetadataFilter.where("due", "gt", p),
    lambda p: MetadataFilter.where("tags", "contains_any", [p]),
    lambda p: MetadataFilter.where("n", "ne", p),
    lambda p: MetadataFilter.where(p, "is_null", False),
    lambda p: MetadataFilter.none_of(MetadataFilter.where(p, "exists", True), MetadataFilter.where("n", "ne", 1)),
    lambda p: MetadataFilter.any_of(MetadataFilter.where("owner", "ne", p), MetadataFilter.where(p, "nin", [p, p])),
)

VALUES: Final[Mapping[str, tuple[Value, ...]]] = {
    "access": (lambda p: Access(p, {p}), lambda p: Access("acme", {p, "user:eve"})),
    "after": (itself, _cursor),
    "analyzer": (itself,),
    "b": (itself,),
    "candidates": (itself,),
    "chunker": (itself,),
    "chunker_options": (lambda p: {p: p}, lambda p: {"size": p}),
    "confidential_libraries": (lambda p: [p],),
    "context": (lambda p: RetrievalContext(idempotency_key=p),),
    "description": (itself,),
    "document_id": (itself,),
    "documents_or_paths": (
        lambda p: [Document(p, f"return {p}", title=p, source_uri=p, metadata={p: p, "owner": p}, readers={p})],
        lambda p: [Document("new", "return", language=p, keep=[p])],
        lambda p: [Document("new", p, metadata={"tags": [p], "due": p, "n": p}, sensitivity="PUBLIC")],
        lambda p: [p],
    ),
    "embed_confidential": (itself,),
    "title_weight": (itself,),
    "embedding": (itself,),
    "embedding_options": (lambda p: {p: p}, lambda p: {"dimensions": p}),
    "exist_ok": (itself,),
    "expand": (itself,),
    "explain": (itself,),
    "explanation": (lambda p: Explanation(p, p, "hit", p), lambda p: Explanation(p, "notes", "not_readable", p)),
    "extractor": (itself,),
    "fields": (lambda p: {p: "string"}, lambda p: {"owner": p}, lambda p: [(p, p)]),
    "fusion": (itself, lambda p: {"method": p}, lambda p: {"weights": {p: 1}}, lambda p: {p: p}),
    "grant": (itself,),
    "k": (itself,),
    "k1": (itself,),
    "libraries": (itself, lambda p: [p, "notes"]),
    "library_id": (itself,),
    "library_weights": (lambda p: {p: 1.0}, lambda p: {"notes": p}),
    "metadata": (lambda p: {p: p}, lambda p: {"owner": p, "due": p}),
    "metadata_filter": _FILTERS,
    "min_score": (itself, lambda p: {p: 0.5}),
    "mode": (itself,),
    "on_duplicate": (itself,),
    "on_error": (itself,),
    "options": (lambda p: {"expand": p}, lambda p: {"fusion": p}, lambda p: {"mode": p}),
    "pivot": (itself,),
    "profile": (
        lambda p: {p: p},
        lambda p: {"fusion": {"method": p, "weights": {p: p}}},
        lambda p: {"chunker_options": {p: p}, "pivot": p},
    ),
    "query": (itself, lambda p: f"return order {p}"),
    "query_embedding": (itself, lambda p: [p]),
    "query_space": (itself,),
    "readers": (lambda p: {p}, itself),
    "reranker": (itself,),
    "router": (itself,),
    "seconds": (itself,),
    "sensitivity": (itself,),
    "statistics": (itself,),
    "tenant": (itself,),
    "top_k": (itself,),
    "version": (itself,),
    "weights": (lambda p: {p: 1.0}, lambda p: {"lexical": p}),
}

NO_TEXT: Final[Mapping[str, str]] = {
    "progress": "a function",
    "retriever": "what is wrapped",
    "spine": "what is wrapped",
    "library": "a Library, whose names are parameters of its own",
}
"""Parameters that hold no text of a caller's, and why."""
