"""What a caller may not read changes no byte of what it gets, whatever is committed beside it, and vacuumed.

In worlds drawn at random: see the folder ``noninterference``.
"""

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

# Numbers of rows and of planner's guesses are no part of an answer.
ANSWERS = [
    "search",
    "search, one hit",
    "search, explained",
    "search, expanded",
    "search, filtered",
    "search for the restricted",
    "search by name",
    "retriever",
    "explain open",
    "explain absent",
    "SQL search",
    "SQL search_json",
    "SQL search_lexical",
    "SQL libraries",
    "SQL terms",
    "SQL documents",
    "SQL legs",
    "SQL passages",
]
BY_VECTORS = ["store", "SQL search_vector", "SQL vector legs", "SQL vector legs, unfiltered"]


def answers(doors: dict[str, world.Door], access: Access) -> dict[str, str]:
    return {name: doors[name](access) for name in [*ANSWERS, *BY_VECTORS] if name in doors}


def assert_untouched_by_hidden_documents(spine: RagSpine, database: Database, mode: world.Mode = world.PLAIN) -> None:
    """The core: 100 documents full of the question's words arrive, unreadable in three ways, and change nothing."""
    doors = world.doors(spine, database, mode=mode)
    assert set(ANSWERS) <= set(doors)
    assert set(BY_VECTORS) <= set(doors) or mode.ran == "economy"
    before = answers(doors, world.OUTSIDER)
    assert world.documents_in(before["search"]) == ["open"]
    library = spine.library("acme", "handbook")
    library.ingest(world.hidden_documents(50))
    library.ingest(
        [
            Document(f"locked-{n}", f"{world.QUESTION} {world.CANARY}", sensitivity="RESTRICTED", title=world.QUESTION)
            for n in range(30)
        ]
    )
    spine.library("globex", "handbook").ingest(
        [Document(f"foreign-{n}", f"{world.QUESTION} {world.CANARY}") for n in range(20)]
    )
    assert library.stats().documents == len(world.HANDBOOK) + 80
    assert stored_vectors(database) == (74 if mode.embedded else 0), "50 hidden, 20 foreign, 4 of the handbook"
    assert answers(doors, world.OUTSIDER) == before
    for n in range(50):
        library.delete(f"hidden-{n}")
    library.optimize()
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    assert answers(doors, world.OUTSIDER) == before


def stored_vectors(database: Database) -> int:
    """How many vectors there are, but for globex's own document."""
    with psycopg.connect(database.owner_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM ragspine.chunk_embedding AS e"
            " JOIN ragspine.document AS d USING (tenant_no, document_no) WHERE d.document_id <> 'theirs'"
        ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("name", world.MODES)
def test_hidden_documents_change_no_byte(fresh_spine: RagSpine, fresh_database: Database, name: str) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    assert_untouched_by_hidden_documents(fresh_spine, fresh_database, mode)


@pytest.mark.parametrize(
    "edits",
    [
        [
            ("AND s.acl_class_no = ANY (classes)", ""),
            ("by_class := current_setting", "by_class := false AND current_setting"),  # else 16 goes by class
        ],
        [("AND c.acl_class_no = ANY (classes)", "")],
    ],
    ids=["document frequencies of all classes", "chunk counts of all classes"],
)
def test_statistics_of_hidden_rows_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, edits: list[tuple[str, str]]
) -> None:
    world.build(fresh_spine)
    plant("weigh_terms_v1", *edits)
    with pytest.raises(AssertionError):
        assert_untouched_by_hidden_documents(fresh_spine, fresh_database)


@pytest.mark.parametrize("name", world.MODES)
def test_a_hidden_document_in_a_leg_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str
) -> None:
    """A leg that ranks hidden chunks loses places of its k to them, even though no exit lets their text out."""
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    if mode.mode == "vector":
        plant("vector_scan_v1", (" AND x.acl_class_no = ANY ($3)", ""))
    else:
        plant("lexical_scan_v1", ("AND x.acl_class_no = ANY ($3)", ""))
    with pytest.raises(AssertionError):
        assert_untouched_by_hidden_documents(fresh_spine, fresh_database, mode)


@pytest.mark.parametrize("name", world.VECTORED)
def test_a_hidden_vector_in_a_leg_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str
) -> None:
    world.build(fresh_spine, embedded=True)
    plant("vector_scan_v1", (" AND x.acl_class_no = ANY ($3)", ""))
    with pytest.raises(AssertionError):
        assert_untouched_by_hidden_documents(fresh_spine, fresh_database, world.MODES[name])


@pytest.mark.parametrize(
    ("function", "edit"),
    [
        (
            "vector_leg_v1",
            ("AND c.chunk_no = n.chunk_no AND c.acl_class_no = ANY (classes)", "AND c.chunk_no = n.chunk_no"),
        ),
        ("matching_documents_v1", (" AND d.acl_class_no = ANY ($2) AND (%s)", " AND (%s)")),
    ],
    ids=["chunks of all classes", "documents of all classes pass the filter"],
)
def test_one_lock_of_the_vector_leg_holds_without_another(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, function: str, edit: tuple[str, str]
) -> None:
    """The scan, the filter and the look-up of ids each judge the classes: one that fails is made up for."""
    world.build(fresh_spine, embedded=True)
    plant(function, edit)
    assert_untouched_by_hidden_documents(fresh_spine, fresh_database, world.MODES["vector"])


def test_an_unknown_library_and_an_unreadable_one_are_one_and_the_same(spine: RagSpine, database: Database) -> None:
    access = Access("apart", {"user:eve"})
    spine.create_library("apart", "open").ingest([Document("d", "return")])

    def asked() -> tuple[str, str]:
        found = spine.search("return", access=access, libraries=["board", "open"])
        with psycopg.connect(database.reader_url) as connection:
            connection.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
            row = connection.execute(
                "SELECT ragspine.search_json('return', libraries => ARRAY['board', 'open'])"
            ).fetchone()
        assert row is not None
        return found.to_json(), str(row[0])

    unknown = asked()
    assert unknown[0] == unknown[1]
    assert "library_without_readable_documents:board" in unknown[0]
    hidden = spine.create_library("apart", "board", embedding="hashing")
    assert asked() == unknown
    hidden.ingest([Document("d", "return", readers={"group:board"}), Document("e", "x", sensitivity="RESTRICTED")])
    assert asked() == unknown
    hidden.ingest([Document("f", "return", readers={"user:eve"})])
    assert "without_readable" not in asked()[0]
