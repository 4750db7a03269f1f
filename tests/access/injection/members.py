"""Every public call of the blocking clients, with arguments that make it work."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ragspine_pg
from ragspine_pg import (
    Access,
    CallableReranker,
    Document,
    FilterExtractingRetriever,
    HybridRetriever,
    Library,
    MetadataFilter,
    MultiIndexRetriever,
    NarrativeIndex,
    RagSpine,
    RerankingRetriever,
    VectorRetriever,
    VectorStore,
)
from ragspine_pg.contract.explanation import Explanation
from tests.access import world

EVE = Access("acme", {"user:eve"})
VECTOR = [1.0, *([0.0] * 63)]

CLIENTS = [
    "BoundRetriever",
    "FilterExtractingRetriever",
    "HybridRetriever",
    "Ingestor",
    "Library",
    "MultiIndexRetriever",
    "NarrativeIndex",
    "RagSpine",
    "RerankingRetriever",
    "Retriever",
    "VectorRetriever",
    "VectorStore",
]
"""Classes whose calls reach the database."""

LEFT_OUT = {
    "open": "takes URLs and what is lent, sends nothing",
    "close": "takes nothing",
    "check_schema": "takes nothing",
    "migrate": "takes nothing",
    "capability": "takes nothing",
}


@dataclass(frozen=True)
class Member:
    """A call: what it is made on, as which login, and arguments that it accepts."""

    on: Callable[[RagSpine], Any]
    login: str = "reader"
    given: Mapping[str, Any] = field(default_factory=dict)
    then: Callable[[Any], Any] = lambda made: made
    """What is done with its result, so that something reaches the database."""


_ASKED: dict[str, Any] = {"query": "return order", "access": EVE}
_NAMED: dict[str, Any] = {"tenant": "acme", "library_id": "notes"}
_OF_DOCUMENT: dict[str, Any] = {**_NAMED, "document_id": "open"}
_EXPLAINED: dict[str, Any] = {**_ASKED, "library_id": "notes", "document_id": "open"}
_SETTINGS: dict[str, Any] = {"analyzer": "simple"}


def _itself(spine: RagSpine) -> RagSpine:
    return spine


def _ingestor(spine: RagSpine) -> Any:
    return spine.ingestor


def _library(spine: RagSpine) -> Library:
    return spine.library("acme", "notes")


def _made(kind: Any) -> Callable[[RagSpine], Any]:
    return lambda spine: _Maker(kind, spine)


class _Maker:
    """Makes a wrapper, as ``__init__`` of a member."""

    def __init__(self, kind: Any, spine: RagSpine) -> None:
        self.made_on = spine
        self._kind = kind

    def __call__(self, **given: Any) -> Any:
        return self._kind(self.made_on, **given)


def _search(made: Any) -> Any:
    return made.search("return order", access=EVE)


def _texts(*ids: str) -> list[Document]:
    return [Document(name, "return order", metadata={"n": 1}) for name in ids]


def _judge(query: str, texts: Any) -> list[float]:
    return [0.5 for _ in texts]


_READING: dict[str, Member] = {
    "search": Member(_itself, given=_ASKED),
    "explain": Member(_itself, given=_EXPLAINED),
    "grant": Member(_itself, given={"access": EVE}),
    "retriever": Member(_itself, given={"access": EVE}, then=lambda bound: bound.retrieve("return")),
}
_WRITING: dict[str, Member] = {
    "ingest": Member(_ingestor, "ingest", {**_NAMED, "documents_or_paths": _texts("new")}),
    "delete": Member(_ingestor, "ingest", _OF_DOCUMENT),
    "relabel": Member(_ingestor, "ingest", _OF_DOCUMENT),
    "versions": Member(_ingestor, "ingest", _NAMED),
    "rebuild": Member(_ingestor, "ingest", {**_NAMED, **_SETTINGS}),
    "publish": Member(_ingestor, "ingest", {**_NAMED, "version": 1}),
    "rollback": Member(_ingestor, "ingest", _NAMED),
    "optimize": Member(_ingestor, "ingest", _NAMED),
    "stats": Member(_ingestor, "ingest", _NAMED),
}
_CREATED = Member(_itself, "ingest", {"tenant": "acme", "library_id": "new"})


def _in_library(member: Member, on: Callable[[RagSpine], Any] = _library) -> Member:
    given = {name: value for name, value in member.given.items() if name not in {"tenant", "library_id"}}
    return Member(on, member.login, given)


def _of_wrapper(kind: Any, **given: Any) -> dict[str, Member]:
    name = kind.__name__
    return {
        f"{name}.__init__": Member(_made(kind), given=given, then=_search),
        f"{name}.search": Member(lambda spine: kind(spine, **given), given=_ASKED),
        f"{name}.retriever": Member(
            lambda spine: kind(spine, **given), given={"access": EVE}, then=lambda bound: bound.retrieve("return")
        ),
    }


MEMBERS: dict[str, Member] = {
    **{f"Retriever.{name}": member for name, member in _READING.items()},
    **{f"RagSpine.{name}": member for name, member in _READING.items()},
    "RagSpine.create_library": _CREATED,
    "RagSpine.library": Member(_itself, "ingest", _NAMED, then=lambda library: library.stats()),
    "RagSpine.optimize": Member(_itself, "ingest", _NAMED),
    "Ingestor.create_library": Member(_ingestor, "ingest", _CREATED.given),
    "Ingestor.drop_library": Member(_ingestor, "ingest", {"tenant": "acme", "library_id": "empty"}),
    "Ingestor.explain_rights": Member(
        _ingestor, "ingest", {"explanation": Explanation("open", "notes", "not_readable", ""), "access": EVE}
    ),
    "Ingestor.revoke": Member(_ingestor, "ingest", {"grant": "rg1.0.0.e30.0"}),
    "RagSpine.revoke": Member(_itself, "ingest", {"grant": "rg1.0.0.e30.0"}),
    "Ingestor.libraries": Member(_ingestor, "ingest", {"tenant": "acme"}),
    **{f"Ingestor.{name}": member for name, member in _WRITING.items()},
    **{f"Library.{name}": _in_library(member) for name, member in _WRITING.items()},
    "Library.search": _in_library(_READING["search"]),
    "Library.explain": _in_library(_READING["explain"]),
    "Library.drop": Member(lambda spine: spine.library("acme", "empty"), "ingest"),
    "Library.__init__": Member(_made(Library), "ingest", _NAMED, then=lambda library: library.stats()),
    "BoundRetriever.retrieve": Member(lambda spine: spine.retriever(access=EVE), given={"query": "return"}),
    "NarrativeIndex.retrieve": Member(
        lambda spine: NarrativeIndex(_library(spine), access=EVE), given={"query": "return"}
    ),
    "NarrativeIndex.__init__": Member(
        lambda spine: lambda **given: NarrativeIndex(_library(spine), **given),
        given={"access": EVE},
        then=lambda bound: bound.retrieve("return"),
    ),
    "VectorStore.__init__": Member(_made(VectorStore)),
    "VectorStore.search": Member(
        VectorStore,
        given={"query_embedding": VECTOR, "query_space": world.MODEL.space.fingerprint, "access": EVE},
    ),
    **_of_wrapper(MultiIndexRetriever, router="keyword"),
    "MultiIndexRetriever.describe": Member(MultiIndexRetriever, given=_ASKED),
    **_of_wrapper(RerankingRetriever, reranker=CallableReranker(_judge, remote=False)),
    **_of_wrapper(FilterExtractingRetriever, extractor=None),
    **_of_wrapper(HybridRetriever),
    **_of_wrapper(VectorRetriever),
}


def parameters() -> Iterator[tuple[str, str]]:
    """Each call of a client and each of its parameters, as the signatures say."""
    for client in CLIENTS:
        kind = getattr(ragspine_pg, client)
        inits = [] if client in {"BoundRetriever", "Ingestor", "RagSpine", "Retriever"} else ["__init__"]
        public = [name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")]
        for name in [*inits, *public]:
            if name not in LEFT_OUT:
                yield f"{client}.{name}", ""
                for parameter in list(inspect.signature(getattr(kind, name)).parameters)[1:]:
                    yield f"{client}.{name}", parameter


def base(spine: RagSpine) -> None:
    """What the calls find: a library with something to read and something not, and an empty one."""
    fields = {"n": "number", "owner": "string", "due": "timestamp"}
    spine.create_library("acme", "notes", fields=fields, embedding=world.MODEL).ingest(
        [
            Document("open", "return an order", metadata={"n": 1, "owner": "eve", "due": "2026-01-01"}),
            Document("own", "return an order soon", readers={"user:eve"}, metadata={"tags": ["a", "b"]}),
            Document("board", f"return an order {world.CANARY}", readers={"group:board"}, metadata={"owner": "bob"}),
            Document("secret", f"return an order {world.CANARY}", sensitivity="RESTRICTED"),
        ]
    )
    spine.create_library("acme", "empty")
    spine.create_library("globex", "notes").ingest([Document("theirs", f"return an order {world.CANARY}")])


__all__ = ["EVE", "MEMBERS", "Member", "MetadataFilter", "base", "parameters"]
