"""Corpora and queries for the parity tests, and what ``ragspine.analyze`` makes of them."""

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.peers.oracle import Bag, Ranked

READER = Access("peers", {"user:ann"})

_TEXT = """
wing flow pressure boundary layer heat transfer shock wave supersonic plate cylinder theory solution equation
laminar turbulent body surface temperature velocity gas jet nozzle panel buckling stress shell thin creep
fatigue aircraft model experimental measured results distribution number effect high low free stream angle
attack drag lift rotor blade wake running runs runner easily easier the of and in at is are was for with by from
than that this
"""
_WORDS = _TEXT.split()


def datasets() -> Path:
    """The judged collections, from ``RAGSPINE_DATASETS`` or beside the repository; without them the test is skipped."""
    default = Path(__file__).resolve().parents[2].parent / "shared" / "datasets"
    folder = Path(os.environ.get("RAGSPINE_DATASETS") or default)
    if not (folder / "cranfield").is_dir():
        pytest.skip(f"no judged collections: RAGSPINE_DATASETS, or {folder}, holds no folder cranfield")
    return folder


def own_documents(number: int = 150, seed: int = 7) -> list[Document]:
    """Texts of common and rare words, of very different lengths, some alike, some with a word many times."""
    draw = random.Random(seed)
    weights = [1 / rank for rank in range(1, len(_WORDS) + 1)]
    documents = []
    for n in range(number):
        words = draw.choices(_WORDS, weights, k=draw.choice([1, 4, 20, 80, 400]))
        if n % 10 == 0:
            words += [draw.choice(_WORDS)] * 300  # beyond the 255 positions a tsvector keeps
        title = " ".join(draw.choices(_WORDS, weights, k=4)) if n % 3 else ""
        documents.append(Document(f"d{n}", " ".join(words), title=title))
    documents += [Document(f"twin{n}", documents[3].text, title=documents[3].title) for n in range(30)]
    return documents


def random_queries(documents: Sequence[Document], number: int, seed: int = 11) -> list[str]:
    """One to eight words drawn from random documents, some said twice, some that nobody knows."""
    draw = random.Random(seed)
    queries: list[str] = []
    while len(queries) < number:
        words = draw.choice(documents).text.split()
        if not words:
            continue
        chosen = draw.choices(words, k=draw.randint(1, 8))
        if draw.random() < 0.2:
            chosen += [chosen[0], "xyzzy"]
        queries.append(" ".join(chosen))
    return queries


@dataclass(frozen=True)
class Desk:
    """A facade on a test database, and plain connections beside it that save a login for every question."""

    database: Database
    spine: RagSpine
    reader: psycopg.Connection[Any]
    owner: psycopg.Connection[Any]

    def analysed(self, texts: Mapping[str, str], analyzer: str = "english") -> dict[str, Bag]:
        """The lexemes of each text, as the reader's login gets them from ``ragspine.analyze``."""
        bags: dict[str, dict[str, int]] = {name: {} for name in texts}
        rows = self.reader.execute(
            """
            SELECT t.name, a.lexeme, a.frequency
              FROM unnest(%s::text[], %s::text[]) AS t(name, text)
             CROSS JOIN LATERAL ragspine.analyze(t.text, %s) AS a
            """,
            [list(texts), list(texts.values()), analyzer],
        )
        for name, lexeme, frequency in rows:
            bags[name][lexeme] = frequency
        return dict(bags)


@contextmanager
def open_desk(database: Database) -> Iterator[Desk]:
    """A desk on ``database``; its connections commit each statement by itself unless a transaction is opened."""
    with (
        open_spine(database) as spine,
        psycopg.connect(database.reader_url, autocommit=True) as reader,
        psycopg.connect(database.owner_url, autocommit=True) as owner,
    ):
        yield Desk(database, spine, reader, owner)


@pytest.fixture(scope="module")
def desk(database: Database) -> Iterator[Desk]:
    """A desk on the module's database: use libraries of your own."""
    with open_desk(database) as opened:
        yield opened


def found(spine: RagSpine, library: str, query: str, k: int) -> list[Ranked[str]]:
    """What the facade finds, documents of one chunk each."""
    result = spine.search(query, access=READER, libraries=library, k=k)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    return [Ranked(hit.document_id, hit.score) for hit in result.hits]
