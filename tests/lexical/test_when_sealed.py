"""When chunks are sealed, what a seal leaves to the next one, and that nobody waits for it."""

from collections.abc import Callable
from itertools import count

import psycopg
import pytest

from ragspine_pg import Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.flow.driver import run
from ragspine_pg.ingest import pipeline, seal
from ragspine_pg.ingest.progress import Meter
from ragspine_pg.ingest.target import find_target
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind
from tests.ingest.shelf import Shelf
from tests.lexical.sealed import assert_same_as_a_scan, segments

pytestmark = pytest.mark.usefixtures("eagerly_sealed")
_numbers = count(1)


@pytest.fixture
def library(spine: RagSpine) -> Library:
    return spine.create_library(f"sealing-{next(_numbers)}", "books", chunker="whole")


def documents(first: int, number: int) -> list[Document]:
    return [Document(f"d{n}", f"owl fox {n % 3} tree {n}") for n in range(first, first + number)]


def sealed(database: Database, library: Library) -> dict[int, tuple[int, int]]:
    """Of each version: its chunks in segments, and those in the tail."""
    with psycopg.connect(database.owner_url) as connection:
        rows = connection.execute(
            """
            SELECT v.version,
                   (SELECT coalesce(sum(cardinality(s.chunk_nos)), 0)::int FROM ragspine.posting_segment AS s
                     WHERE s.tenant_no = v.tenant_no AND s.version_no = v.version_no),
                   (SELECT count(*)::int FROM ragspine.lexical_tail AS t
                     WHERE t.tenant_no = v.tenant_no AND t.version_no = v.version_no)
              FROM ragspine.index_version AS v
              JOIN ragspine.tenant AS t USING (tenant_no)
             WHERE t.tenant = %s AND v.state <> 'dropped'
            """,
            [library.tenant],
        ).fetchall()
    return {version: (chunks, tail) for version, chunks, tail in rows}


def test_an_ingest_seals_what_it_leaves_in_a_long_tail(database: Database, library: Library) -> None:
    library.ingest(documents(0, 4))
    assert sealed(database, library) == {1: (0, 4)}
    seen: list[Progress] = []
    library.ingest(documents(4, 3), progress=seen.append)
    assert sealed(database, library) == {1: (7, 0)}
    assert (seen[-1].stage, seen[-1].done, seen[-1].total) == ("seal", 7, 7)
    library.ingest(documents(7, 1))
    assert sealed(database, library) == {1: (7, 1)}
    assert library.optimize().sealed_chunks == 1  # beside the run before, which is large
    library.ingest(documents(8, 3))
    assert library.optimize().sealed_chunks == 11  # with both runs before
    assert library.optimize().sealed_chunks == 0


def test_a_rebuild_seals_the_version_it_makes(database: Database, library: Library) -> None:
    library.ingest(documents(0, 8))
    report = library.rebuild(analyzer="simple")
    assert sealed(database, library) == {1: (8, 0), report.version: (8, 0)}


def test_a_version_that_measures_its_pivot_is_not_sealed(database: Database, spine: RagSpine) -> None:
    library = spine.create_library("measuring", "books", chunker="whole", profile={"pivot": "measured"})
    library.ingest(documents(0, 8))
    assert library.optimize().sealed_chunks == 0
    assert sealed(database, library) == {1: (0, 8)}


def test_an_ingest_that_cannot_seal_stores_nothing(fresh_database: Database, fresh_spine: RagSpine) -> None:
    library = fresh_spine.create_library("failing", "books", chunker="whole")
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("REVOKE INSERT ON ragspine.posting_segment FROM ragspine_ingest")
    with pytest.raises(ConfigurationError):
        library.ingest(documents(0, 8))
    assert library.stats().documents == 0


@pytest.fixture
def unsealed(monkeypatch: pytest.MonkeyPatch, eagerly_sealed: None) -> None:
    """Ingests leave what they store in the tail."""
    monkeypatch.setattr(seal, "DUE", 100)


def interrupted(shelf: Shelf, act: Callable[[], object]) -> None:
    """Seal, and ``act`` when the postings of the first class are made and the tail is not read out yet."""
    acted: list[str] = []

    def once(progress: Progress) -> None:
        if not acted:
            acted.append(progress.stage)
            act()

    with psycopg.connect(shelf.database.ingest_url) as connection:
        target = run(find_target(shelf.tenant, shelf.library), connection)
        assert run(seal.seal(target, Meter(once)), connection) > 0
    assert acted == ["seal"]


@not_behind
@pytest.mark.usefixtures("unsealed")
@pytest.mark.parametrize("act", ["relabel", "there and back", "delete", "change", "add"])
def test_whoever_writes_beside_a_seal_neither_waits_nor_is_lost(database: Database, act: str) -> None:
    shelf = Shelf(database, chunker="whole", fields={"n": "number"})
    shelf.ingest_all(documents(0, 8))
    acts: dict[str, Callable[[], object]] = {
        "relabel": lambda: shelf.relabel("d1", readers=("group:x",)),
        "there and back": lambda: [shelf.relabel("d1", readers=readers) for readers in (("group:x",), None)],
        "delete": lambda: shelf.delete("d1"),
        "change": lambda: shelf.ingest(Document("d1", "owl bear")),
        "add": lambda: shelf.ingest(Document("d9", "owl bear")),
    }
    interrupted(shelf, acts[act])
    assert segments(shelf) > 0
    for _ in range(2):
        assert assert_same_as_a_scan(shelf, [["user:any"], ["group:x"]], ["owl", "fox bear 1"], 20) >= 16
        assert shelf.audit() == []
        shelf.run(pipeline.optimize(shelf.tenant, shelf.library))


@not_behind
@pytest.mark.usefixtures("unsealed")
def test_of_two_seals_at_once_the_second_does_nothing(database: Database) -> None:
    shelf = Shelf(database, chunker="whole", fields={"n": "number"})
    shelf.ingest_all(documents(0, 8))
    interrupted(shelf, lambda: shelf.run(pipeline.optimize(shelf.tenant, shelf.library)))
    assert segments(shelf) == 1
    assert shelf.audit() == []
