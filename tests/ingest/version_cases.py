"""What a rebuild may change, beside the library made afresh that it must answer like."""

from collections.abc import Mapping
from typing import Any

_EMBEDDED = {"embedding": "hashing"}
CASES: Mapping[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    # name: how it was made, what the rebuild changes, how a fresh one is made
    "nothing": ({}, {}, {}),
    "chunker": ({}, {"chunker": "parent_child"}, {"chunker": "parent_child"}),
    "chunker options": (
        _EMBEDDED,
        {"chunker_options": {"size": 150}},
        _EMBEDDED | {"profile": {"chunker_options": {"size": 150}}},
    ),
    "analyzer": ({}, {"analyzer": "simple"}, {"analyzer": "simple"}),
    "bm25": ({}, {"k1": 0.9, "b": 0.4, "pivot": 33}, {"profile": {"k1": 0.9, "b": 0.4, "pivot": 33}}),
    "statistics of the library": ({}, {"statistics": "library"}, {"statistics": "library"}),
    "statistics by class": ({"statistics": "library"}, {"statistics": "class"}, {}),
    "statistics stay": (
        {"statistics": "library"},
        {"analyzer": "simple"},
        {"statistics": "library", "analyzer": "simple"},
    ),
    "measured in many classes": (
        {"statistics": "library"},
        {"pivot": "measured"},
        {"statistics": "library", "profile": {"pivot": "measured"}},
    ),
    "embedding": ({}, _EMBEDDED, _EMBEDDED),
    "another embedding": (
        _EMBEDDED,
        {"embedding_options": {"dimensions": 64}},
        _EMBEDDED | {"profile": {"embedding_options": {"dimensions": 64}}},
    ),
    "no embedding": (_EMBEDDED, {"embedding": "none"}, {}),
    "fusion": (
        _EMBEDDED,
        {"fusion": {"method": "convex", "weights": {"vector": 2}}},
        _EMBEDDED | {"profile": {"fusion": {"method": "convex", "weights": {"vector": 2}}}},
    ),
}
MEASURED: Mapping[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "measure": ({}, {"pivot": "measured"}, {"profile": {"pivot": "measured"}}),
    "still measured": (
        {"profile": {"pivot": "measured"}},
        {"chunker_options": {"size": 150}},
        {"profile": {"pivot": "measured", "chunker_options": {"size": 150}}},
    ),
}
