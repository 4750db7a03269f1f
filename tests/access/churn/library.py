"""The library that all write and search: its documents, who asks, and what."""

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ragspine_pg import (
    Access,
    Deadline,
    Distance,
    Document,
    Embedded,
    EmbeddingSpace,
    EmbeddingTask,
    MetadataFilter,
    Usage,
)
from ragspine_pg.contract.label import Sensitivity

TENANT: Final = "churn"
LIBRARY: Final = "shelf"
PIVOT: Final = 12.0

CALLERS = (
    Access(TENANT, {"user:ann", "group:staff"}),
    Access(TENANT, {"user:bob", "group:finance"}),
    Access(TENANT, {"user:eve"}),
)
STRANGERS = (Access(TENANT), Access("globex", {"user:ann", "group:staff"}))
"""They may read nothing, ever."""

READERS: Sequence[frozenset[str] | None] = (
    None,
    frozenset({"group:staff"}),
    frozenset({"group:finance"}),
    frozenset({"user:eve"}),
    frozenset({"group:staff", "group:finance"}),
    frozenset(),
)
LABELS = tuple(Sensitivity)

EVERYWHERE: Final = "book"
"""A word of every title, and so of every chunk."""
QUERIES = (EVERYWHERE, "late delivery of a damaged parcel", "warm boot", "refund refund price", "winter tents book")
FILTERS: Mapping[str, MetadataFilter | None] = {"everything": None, "half of it": MetadataFilter.where("n", "lt", 9)}

_TEXT = """
return order refund delivery parcel invoice price warranty repair winter tent stove boot glove rope axe map lamp
customer staff desk policy month week damaged late cheap heavy light warm cold wet dry large small
"""
_WORDS = _TEXT.split()

STEADY = [f"steady{n}" for n in range(10)]
"""Always there; text, readers and label are each changed by another writer."""
FLEETING = [f"fleeting{n}" for n in range(5)]
"""Come, change and go, by one writer's hand."""
CONTENDED = [f"contended{n}" for n in range(3)]
"""Whoever wants writes them, in every way."""
CLOSED = [f"closed{n}" for n in range(24)]
"""For nobody, and never written again: what a leg that forgets the classes fills its hits with."""
ALL = [*STEADY, *FLEETING, *CONTENDED, *CLOSED]


class DrawnModel:
    """Draws a text's vector from its hash, of small whole numbers: their products are exact, and so are ties."""

    name = "drawn whole"
    remote = False

    def __init__(self) -> None:
        self.options: Mapping[str, Any] = {}
        self.space = EmbeddingSpace("test", self.name, "1", 16, Distance.INNER_PRODUCT, normalised=False)

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text, the same for both tasks."""
        return Embedded([_drawn(text) for text in texts], Usage(items=len(texts), calls=1))


@lru_cache(maxsize=20_000)
def _drawn(text: str) -> list[float]:
    draw = random.Random(text)
    return [float(draw.randint(1, 99)), *(float(draw.randint(-99, 99)) for _ in range(15))]


MODEL = DrawnModel()


def document(name: str, edition: int, **rights: Any) -> Document:
    """An edition of a document: one to three paragraphs, its number in the title and so in what is shown of it."""
    draw = random.Random(f"{name} {edition}")
    paragraphs = [" ".join(draw.choices(_WORDS, k=draw.randint(6, 16))).capitalize() + "." for _ in range(3)]
    return Document(
        name,
        "\n\n".join(paragraphs[: draw.randint(1, 3)]),
        title=f"Book {edition}",
        metadata={"n": ALL.index(name)},
        **rights,
    )


def edition_of(title: str) -> int:
    """The edition that a title names."""
    return int(title.removeprefix("Book "))
