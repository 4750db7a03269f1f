"""Pages that are turned while others write: nothing twice, and nothing left out that was there all the time."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.ingest.waiting import Waiting

ME = Access("turned", {"user:me"})
QUESTION = "fox moon night"
STEADY = 60
CHURNING = 25


def text(rng: random.Random, name: str) -> str:
    return f"{'fox ' * rng.randint(0, 4)}moon in the night of {name} {'night ' * rng.randint(0, 6)}"


@pytest.fixture
def library(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    made = spine.create_library("turned", request.node.name, embedding="hashing")
    rng = random.Random(1)
    made.ingest(Document(f"steady{n}", text(rng, f"steady{n}")) for n in range(STEADY))
    return made


@contextmanager
def writing(database: Database, library: Library) -> Iterator[list[int]]:
    """Somebody who stores, changes, hides and deletes other documents all the time; how many writes there were."""
    stop, writes = threading.Event(), [0]

    def write() -> None:
        rng = random.Random(2)
        with open_spine(database) as other:
            theirs = other.library(library.tenant, library.library_id)
            while not stop.is_set():
                names = rng.sample([f"churning{n}" for n in range(CHURNING)], 3)
                theirs.ingest([Document(name, text(rng, f"{name} {rng.random()}")) for name in names])
                theirs.relabel(names[0], readers={"user:other"})
                theirs.delete(names[1])
                writes[0] += 1

    writer = Waiting(write)
    writer.start()
    try:
        yield writes
    finally:
        stop.set()
        writer.ends()


def walk(library: Library, mode: str, k: int, writes: list[int], **options: Any) -> tuple[list[str], list[str]]:
    """Chunks and documents of all pages; between two pages there is at least one write."""
    chunks: list[str] = []
    documents: list[str] = []
    cursor = None
    while True:
        before = writes[0]
        page = library.search(QUESTION, access=ME, mode=mode, k=k, after=cursor, **options)
        chunks += [hit.chunk_id for hit in page.hits]
        documents += [hit.document_id for hit in page.hits]
        assert [hit.rank for hit in page.hits] == list(range(len(chunks) - len(page.hits) + 1, len(chunks) + 1))
        cursor = page.cursor
        if cursor is None:
            return chunks, documents
        while writes[0] == before:
            threading.Event().wait(0.001)


@pytest.mark.parametrize("mode", ["economy", "vector", "hybrid", "auto"])
def test_pages_beside_a_writer_show_everything_that_stays_once(library: Library, database: Database, mode: str) -> None:
    with writing(database, library) as writes:
        for k in (7, 30):
            chunks, documents = walk(library, mode, k, writes)
            assert len(chunks) == len(set(chunks))
            assert {f"steady{n}" for n in range(STEADY)} <= set(documents)
            steady = [name for name in documents if name.startswith("steady")]
            assert len(steady) == STEADY
    assert writes[0] > STEADY // 30
