"""Dropping a library takes all of it away, and nothing of any other."""

import threading

import psycopg
import pytest
from psycopg import sql

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.errors import NotFound, QueryError
from ragspine_pg.schema.tables import metadata
from tests.fixtures.database import Database

# What belongs to the tenant, and is shared by its libraries.
_TENANTS = {"tenant", "acl_class", "acl_reader", "embedding_space", "dropped_library"}
# What belongs to the installation.
_INSTALLATION = {"grant_key", "revoked_grant"}
# Filled by a rebuild alone.
_EMPTY = {"pending_document"}


def fill(spine: RagSpine, tenant: str, name: str) -> Library:
    library = spine.create_library(tenant, name, chunker="parent_child", embedding="hashing", fields={"year": "number"})
    library.ingest(
        Document(
            f"d{number}",
            f"# Part {number}\n\nApples and pears, harvest {number}.\n\n## More\n\n" + "Quinces too. " * 40,
            metadata={"year": 2000 + number},
            readers=None if number % 2 else {"group:staff"},
        )
        for number in range(12)
    )
    return library


def rows(database: Database) -> dict[str, int]:
    with psycopg.connect(database.owner_url) as connection:
        found = {}
        for table in metadata.tables.values():
            count = sql.SQL("SELECT count(*) FROM ragspine.{}").format(sql.Identifier(table.name))
            row = connection.execute(count).fetchone()
            assert row is not None
            found[table.name] = row[0]
    return found


@pytest.fixture
def kept(spine: RagSpine, request: pytest.FixtureRequest) -> Library:
    """A filled library of a tenant of the test's own, which stays."""
    return fill(spine, request.node.name, "kept")


@pytest.mark.usefixtures("eagerly_sealed")
def test_nothing_is_left_in_any_table_and_the_others_answer_the_same_bytes(
    spine: RagSpine, database: Database, kept: Library
) -> None:
    access = Access(kept.tenant, {"group:staff"})
    before, answer = rows(database), kept.search("apples quinces", access=access).to_json()
    library = fill(spine, kept.tenant, "gone")
    library.relabel("d1", readers={"group:new"})
    library.optimize()
    library.relabel("d2", readers={"group:new"})
    filled = rows(database)
    others = before.keys() - _TENANTS - _INSTALLATION - _EMPTY
    assert [name for name in others if filled[name] <= before[name]] == []
    assert library.drop() == 12
    after = rows(database)
    assert {name: count for name, count in after.items() if name not in _TENANTS} == {
        name: count for name, count in before.items() if name not in _TENANTS
    }
    assert kept.search("apples quinces", access=access).to_json() == answer
    assert [found.library_id for found in spine.ingestor.libraries(kept.tenant)] == ["kept"]
    with pytest.raises(NotFound):
        library.drop()
    assert fill(spine, kept.tenant, "gone").stats().documents == 12  # the name is free again


def test_a_library_made_anew_goes_on_counting_versions_and_takes_no_cursor_of_the_old_one(
    spine: RagSpine, kept: Library
) -> None:
    access = Access(kept.tenant, {"group:staff"})
    for last in (1, 2, 4):
        library = fill(spine, kept.tenant, "again")
        if last == 4:
            library.rebuild(analyzer="simple")
            library.publish(4)
        first = library.search("apples quinces", access=access, k=3)
        assert first.index_versions == {"again": last}
        library.drop()
    library = fill(spine, kept.tenant, "again")
    assert [version.version for version in library.versions()] == [5]
    with pytest.raises(QueryError, match="no longer kept"):
        library.search("apples quinces", access=access, k=3, after=first.cursor)
    # What the name was used for by another tenant is not told.
    assert spine.create_library(f"{kept.tenant} 2", "again").versions()[0].version == 1


def test_libraries_are_listed_by_name_for_a_tenant_or_for_all(spine: RagSpine, kept: Library) -> None:
    spine.create_library(kept.tenant, "empty", description="nothing yet")
    found = spine.ingestor.libraries(kept.tenant)
    assert [(item.library_id, item.documents, item.version, item.description) for item in found] == [
        ("empty", 0, 1, "nothing yet"),
        ("kept", 12, 1, ""),
    ]
    assert set(found) <= set(spine.ingestor.libraries())
    assert spine.ingestor.libraries("nobody's") == []


def test_a_drop_waits_for_a_writer_and_takes_what_it_stored(spine: RagSpine, database: Database, kept: Library) -> None:
    before = rows(database)
    library = fill(spine, kept.tenant, "gone")
    writing = threading.Event()
    dropped: list[int] = []

    def drop() -> None:
        assert writing.wait(30)
        dropped.append(library.drop())

    def hold(progress: Progress) -> None:
        if progress.stage == "verify":  # all is written, and every lock is held
            writing.set()
            assert not dropped
            thread.join(timeout=1)
            assert thread.is_alive(), "the drop did not wait"

    thread = threading.Thread(target=drop)
    thread.start()
    library.ingest([Document("late", "Late apples.")], progress=hold)
    thread.join(timeout=30)
    assert dropped == [13]
    after = rows(database)
    assert {name: after[name] for name in after if name not in _TENANTS} == {
        name: before[name] for name in before if name not in _TENANTS
    }


def test_an_ingest_that_meets_a_drop_stores_nothing(spine: RagSpine, database: Database, kept: Library) -> None:
    before = rows(database)
    library = fill(spine, kept.tenant, "gone")

    def drop(progress: Progress) -> None:
        if progress.stage == "read":
            library.drop()

    with pytest.raises(NotFound, match="there is no library"):
        library.ingest([Document("late", "Late apples.")], progress=drop)
    after = rows(database)
    assert {name: after[name] for name in after if name not in _TENANTS} == {
        name: before[name] for name in before if name not in _TENANTS
    }
