"""What a caller may not read changes no byte of what it gets."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, Document, RagSpine
from tests.access import world
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

# Numbers of rows and of planner's guesses are no part of an answer.
ANSWERS = [
    "search",
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


def answers(doors: dict[str, world.Door], access: Access) -> dict[str, str]:
    return {name: doors[name](access) for name in ANSWERS}


def assert_untouched_by_hidden_documents(spine: RagSpine, database: Database) -> None:
    """The core: 100 documents full of the question's words arrive, unreadable in three ways, and change nothing."""
    doors = world.doors(spine, database)
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
    assert answers(doors, world.OUTSIDER) == before
    for n in range(50):
        library.delete(f"hidden-{n}")
    library.optimize()
    assert answers(doors, world.OUTSIDER) == before


def test_hidden_documents_change_no_byte(fresh_spine: RagSpine, fresh_database: Database) -> None:
    world.build(fresh_spine)
    assert_untouched_by_hidden_documents(fresh_spine, fresh_database)


@pytest.mark.parametrize(
    ("function", "edit"),
    [
        ("weigh_terms_v1", ("AND s.acl_class_no = ANY (classes)", "")),
        ("weigh_terms_v1", ("AND c.acl_class_no = ANY (classes)", "")),
    ],
    ids=["document frequencies of all classes", "chunk counts of all classes"],
)
def test_statistics_of_hidden_rows_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, function: str, edit: tuple[str, str]
) -> None:
    world.build(fresh_spine)
    plant(function, edit)
    with pytest.raises(AssertionError):
        assert_untouched_by_hidden_documents(fresh_spine, fresh_database)


def test_a_hidden_document_in_a_leg_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant: Plant) -> None:
    """A leg that ranks hidden chunks loses places of its k to them, even though no exit lets their text out."""
    world.build(fresh_spine)
    plant("lexical_scan_v1", ("AND x.acl_class_no = ANY ($4)", ""))
    with pytest.raises(AssertionError):
        assert_untouched_by_hidden_documents(fresh_spine, fresh_database)


WORDS = ["return", "order", "refund", "day", "invoice", "parcel", "colour", "café"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
RIGHTS = st.sampled_from(
    [
        {"readers": {"group:board"}},
        {"readers": set()},
        {"sensitivity": "RESTRICTED"},
        {"readers": {"user:eve"}, "sensitivity": "RESTRICTED"},
    ]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    visible=st.lists(TEXTS, min_size=1, max_size=5),
    hidden=st.lists(st.tuples(TEXTS, RIGHTS), min_size=1, max_size=6),
    query=TEXTS,
    number=st.integers(0, 2**40),
)
def test_random_worlds(
    spine: RagSpine, visible: list[str], hidden: list[tuple[str, dict[str, object]]], query: str, number: int
) -> None:
    tenant = f"world-{number}"
    library = spine.create_library(tenant, "notes", exist_ok=True)
    library.ingest([Document(f"v{n}", text) for n, text in enumerate(visible)])
    me = Access(tenant, {"user:eve"})
    before = spine.search(query, access=me, explain=True)
    library.ingest([Document(f"h{n}", text, **rights) for n, (text, rights) in enumerate(hidden)])  # type: ignore[arg-type]
    after = spine.search(query, access=me, explain=True)
    assert after.to_json() == before.to_json()
    assert after.trace == before.trace
    library.relabel("v0", readers={"group:board"})
    without = spine.search(query, access=me)
    library.delete("v0")
    assert spine.search(query, access=me).to_json() == without.to_json()
    for n in range(len(hidden)):
        library.delete(f"h{n}")
    assert spine.search(query, access=me).to_json() == without.to_json()
    for n in range(1, len(visible)):
        library.delete(f"v{n}")
