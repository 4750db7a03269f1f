"""Worlds, drawn at random: what a caller may read, what it asks, and what happens that is none of its business."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

from ragspine_pg import Access, Document, MetadataFilter
from ragspine_pg.errors import NotFound
from tests.access import world
from tests.access.noninterference.stage import Stage

TENANT = "acme"
LIBRARY = "notes"
HIDDEN_LIBRARY = "board"
EVE = Access(TENANT, {"user:eve", "group:staff"})
"""Who asks."""

Action = Callable[[Stage], Any]


@dataclass(frozen=True)
class Text:
    """A document to store."""

    id: str
    text: str
    rights: Mapping[str, Any]
    metadata: Mapping[str, Any]

    def document(self) -> Document:
        """As it is ingested."""
        return Document(self.id, self.text, title=self.text[:20], metadata=self.metadata, **self.rights)


@dataclass(frozen=True)
class Store:
    """New documents, or other texts and rights for those of the same id."""

    texts: list[Text]

    def __call__(self, stage: Stage) -> None:
        stage.writer.ingest(TENANT, LIBRARY, [text.document() for text in self.texts])


@dataclass(frozen=True)
class Relabel:
    """Other rights for a document, if it is there; RESTRICTED is among them."""

    id: str
    rights: Mapping[str, Any]

    def __call__(self, stage: Stage) -> None:
        with suppress(NotFound):
            stage.writer.relabel(TENANT, LIBRARY, self.id, **self.rights)


@dataclass(frozen=True)
class Delete:
    """A document goes, if it is there."""

    id: str

    def __call__(self, stage: Stage) -> None:
        stage.writer.delete(TENANT, LIBRARY, self.id)


@dataclass(frozen=True)
class Pass:
    """A document that could be read is put under other rights before anybody asks."""

    text: Text
    rights: Mapping[str, Any]

    def __call__(self, stage: Stage) -> None:
        Store([self.text])(stage)
        Relabel(self.text.id, self.rights)(stage)


@dataclass(frozen=True)
class Found:
    """Another library, with nothing to read; perhaps indexed anew and published, or dropped again."""

    texts: list[Text]
    then: str

    def __call__(self, stage: Stage) -> None:
        writer = stage.writer
        writer.create_library(
            TENANT, HIDDEN_LIBRARY, description=" ".join(WORDS), fields={"n": "string"}, embedding="none", exist_ok=True
        )
        if self.texts:
            writer.ingest(TENANT, HIDDEN_LIBRARY, [text.document() for text in self.texts])
        if self.then == "publish":
            version = writer.rebuild(TENANT, HIDDEN_LIBRARY, chunker="parent_child").version
            writer.publish(TENANT, HIDDEN_LIBRARY, version)
        elif self.then == "drop":
            writer.drop_library(TENANT, HIDDEN_LIBRARY)


@dataclass(frozen=True)
class Abroad:
    """Another tenant stores what its members may all read, in a library of the same name."""

    texts: list[Text]

    def __call__(self, stage: Stage) -> None:
        stage.writer.create_library("globex", LIBRARY, description="order", exist_ok=True)
        documents = [Document(text.id, text.text, metadata=text.metadata) for text in self.texts]
        stage.writer.ingest("globex", LIBRARY, documents)


@dataclass(frozen=True)
class Tend:
    """What administrators do: statistics folded, the planner told, a version prepared that is not published."""

    what: str

    def __call__(self, stage: Stage) -> None:
        if self.what == "optimize":
            stage.writer.optimize(TENANT, LIBRARY)
        elif self.what == "rebuild":
            stage.writer.rebuild(TENANT, LIBRARY)
        else:
            stage.administer("ANALYZE ragspine.document, ragspine.chunk, ragspine.lexeme_stat, ragspine.corpus_stat")


@dataclass(frozen=True)
class Questions:
    """What is asked in a world, over and over."""

    query: str
    k: int
    filter: MetadataFilter


@dataclass(frozen=True)
class History:
    """A world. ``readable`` is of the caller; ``hidden`` is not."""

    chunker: str
    readable: list[Text]
    hidden: list[Action]
    questions: Questions

    def found(self, stage: Stage, *, embedded: bool) -> None:
        """The library that the caller knows, empty."""
        stage.writer.create_library(
            TENANT,
            LIBRARY,
            description="Notes on orders.",
            chunker=self.chunker,
            embedding=world.MODEL if embedded else None,
            fields={"n": "number", "owner": "string"},
        )


WORDS = [
    *("return", "order", "refund", "day", "invoice", "parcel", "colour", "café", "depot", "wagon"),
    *("ledger", "market", "summer", "winter", world.CANARY),
]
_TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
_SAID = st.sampled_from(["{}", "{}", "+{}", "-{}", '"{}"', '-"{}"', "{}*", "+{}*", "-{}*"])
_QUERIES = st.one_of(
    _TEXTS,
    st.lists(
        st.builds(
            lambda said, words, cut: said.format(" ".join(words)[: cut if "*" in said else None]),
            _SAID,
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=2),
            st.integers(2, 5),
        ),
        min_size=1,
        max_size=5,
    ).map(" ".join),
)
"""Words alone, or with operators."""
_METADATA: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {}, optional={"n": st.sampled_from([0, 1, 2, "two"]), "owner": st.sampled_from(["ann", "eve", "eva"])}
)
_READABLE: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"readers": None, "sensitivity": "INTERNAL"},
        {"readers": {"user:eve"}, "sensitivity": "CONFIDENTIAL"},
        {"readers": {"group:staff", "group:board"}, "sensitivity": "PUBLIC"},
    ]
)
_HIDDEN: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"readers": {"group:board"}, "sensitivity": "INTERNAL"},
        {"readers": {"user:bob", "group:finance"}, "sensitivity": "CONFIDENTIAL"},
        {"readers": set(), "sensitivity": "PUBLIC"},
        {"readers": None, "sensitivity": "RESTRICTED"},
        {"readers": {"user:eve"}, "sensitivity": "RESTRICTED"},
    ]
)
_FILTERS = st.sampled_from(
    [
        MetadataFilter.where("n", "gte", 1),
        MetadataFilter.where("n", "ne", 2),
        MetadataFilter.where("owner", "prefix", "ev"),
        MetadataFilter.where("owner", "in", ["ann", "eve"]),
        MetadataFilter.where("owner", "is_null", True),
        MetadataFilter.none_of(MetadataFilter.where("owner", "eq", "ann")),
    ]
)
HIDDEN_IDS = [f"h{n}" for n in range(4)]


def _documents(rights: st.SearchStrategy[dict[str, Any]], ids: st.SearchStrategy[str]) -> st.SearchStrategy[Text]:
    return st.builds(Text, ids, _TEXTS, rights, _METADATA)


def _lists(texts: st.SearchStrategy[Text], least: int, most: int) -> st.SearchStrategy[list[Text]]:
    return st.lists(texts, min_size=least, max_size=most, unique_by=lambda text: text.id)


_IDS = st.sampled_from(HIDDEN_IDS)
_SECRETS = _documents(_HIDDEN, _IDS)
_STORE = st.builds(Store, _lists(_SECRETS, 1, 4))
_HIDDEN_ACTIONS = st.one_of(
    _STORE,
    st.builds(Relabel, _IDS, _HIDDEN),
    st.builds(Delete, _IDS),
    st.builds(Pass, _documents(_READABLE, _IDS), _HIDDEN),
    st.builds(Found, _lists(_SECRETS, 0, 2), st.sampled_from(["keep", "publish", "drop"])),
    st.builds(Abroad, _lists(_documents(_READABLE, _IDS), 1, 3)),
    st.builds(Tend, st.sampled_from(["optimize", "rebuild", "analyze"])),
)
_CHUNKERS = st.sampled_from(["default", "parent_child"])
_MORE = st.lists(_HIDDEN_ACTIONS, max_size=2)


def _crowd(seed: bytes, chunker: str, more: list[Action], of: MetadataFilter) -> History:
    """A world of many words, each in several texts. Sums of many terms are rounded by their order."""
    random = Random(seed)

    def texts(kind: str, number: int, rights: Mapping[str, Any]) -> list[Text]:
        return [Text(f"{kind}{n}", " ".join(random.choices(WORDS, k=16)), rights, {"n": n}) for n in range(number)]

    return History(
        chunker=chunker,
        readable=texts("v", random.randint(2, 4), {"readers": None, "sensitivity": "INTERNAL"}),
        hidden=[
            Store(texts("h", random.randint(1, 3), {"readers": {"group:board"}, "sensitivity": "INTERNAL"})),
            *more,
        ],
        questions=Questions(" ".join(random.sample(WORDS, 10)), 10, of),
    )


DRAWN = st.builds(
    History,
    chunker=_CHUNKERS,
    readable=st.lists(st.tuples(_TEXTS, _READABLE, _METADATA), max_size=5).map(
        lambda drawn: [Text(f"v{n}", *parts) for n, parts in enumerate(drawn)]
    ),
    hidden=st.tuples(_STORE, _MORE).map(lambda parts: [parts[0], *parts[1]]),
    questions=st.builds(Questions, _QUERIES, st.sampled_from([1, 2, 10]), _FILTERS),
)
"""Drawn piece by piece: small worlds with every corner, one often like the one before."""

CROWDED = st.builds(_crowd, seed=st.binary(min_size=8, max_size=8), chunker=_CHUNKERS, more=_MORE, of=_FILTERS)
"""Large worlds, none like another."""
