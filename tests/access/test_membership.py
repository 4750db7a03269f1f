"""Who somebody is, the grant of this transaction says: nothing of it is kept, nor of what it could read."""

import json
from dataclasses import replace
from itertools import permutations
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, RagSpine
from ragspine_pg.flow.steps import Flow
from ragspine_pg.retrieval import legs
from tests.access import moved, world
from tests.access.moved import MOVED, WITH_VECTORS, Doors, callers, hits_of
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

MODES = {name: WITH_VECTORS[name] for name in ("economy", "vector", "hybrid", "auto")}
HYBRID = WITH_VECTORS["hybrid"]


def assert_each_gets_its_own(doors: Doors, tenant: str) -> None:
    """The core: grants in every order over one connection, in one transaction and in several, and none at all."""
    doors.build(tenant, MODES, "parent_child")
    access = callers(tenant)
    own = {caller: doors.by_facade(asking, HYBRID) for caller, asking in access.items()}
    documents = {caller: set(world.documents_in(answer)) for caller, answer in own.items()}
    assert documents == {"staff": {"open", "staff"}, "finance": {"open", "finance"}, "outsider": {"open"}}
    with psycopg.connect(doors.database.reader_url, prepare_threshold=None) as connection:
        for order in permutations(access):
            for caller in order:
                assert moved.ask_sql(connection, doors.spine.grant(access[caller]), HYBRID) == own[caller]
            connection.commit()
            assert_no_grant(connection)
            for caller in order:
                assert moved.ask_sql(connection, doors.spine.grant(access[caller]), HYBRID) == own[caller]
                connection.commit()
            assert_no_grant(connection)
            connection.rollback()


def assert_no_grant(connection: psycopg.Connection[Any]) -> None:
    """Whoever comes next over this connection is nobody."""
    row = connection.execute("SELECT ragspine.search_json(%s)", [world.QUESTION]).fetchone()
    assert row is not None
    answer = json.loads(row[0])
    assert (answer["hits"], answer["reason"]) == ([], "no_grant")


def test_over_one_connection_each_grant_gets_its_own(doors: Doors, tenant: str) -> None:
    assert_each_gets_its_own(doors, tenant)


KEEPING = {
    "a grant that outlives its transaction": ("coalesce(signed, ''), true)", "coalesce(signed, ''), false)"),
    "the first grant of a transaction": (
        "coalesce(signed, ''), true)",
        "coalesce(nullif(current_setting('ragspine.grant', true), ''), signed, ''), true)",
    ),
}


@pytest.mark.parametrize("name", KEEPING)
def test_over_one_connection_has_teeth(fresh_database: Database, plant: Plant, tenant: str, name: str) -> None:
    plant("assume_v1", KEEPING[name])
    with moved.opened(fresh_database) as doors, pytest.raises(AssertionError):
        assert_each_gets_its_own(doors, tenant)


def test_a_group_is_what_the_grant_says_now(doors: Doors, tenant: str) -> None:
    """The same user with a group, without it, and with it again, by a client that was open all the time."""
    doors.build(tenant, MODES, "parent_child")
    for name, mode in MODES.items():
        for _ in range(2):
            for groups in ({"group:staff"}, set(), {"group:finance"}, {"group:staff", "group:finance"}):
                access = Access(tenant, {"user:ann", *groups})
                answer = doors.by_facade(access, mode)
                assert doors.by_awaiting(access, mode) == doors.by_sql(access, mode) == answer
                shown = {hit["document_id"] for hit in json.loads(answer)["hits"]}
                assert shown == {"open", *(group.removeprefix("group:") for group in groups)}, name


def assert_nothing_is_remembered(doors: Doors, tenant: str) -> None:
    """The core: clients that are open all the time answer after each relabel as one that was opened just now.

    The document is the only one of its library, so that the library itself appears and disappears for callers.
    """
    library = doors.spine.create_library(tenant, "alone", embedding=world.MODEL)
    library.ingest([MOVED])
    retriever = {caller: doors.spine.retriever(access=access) for caller, access in callers(tenant).items()}
    rights: list[dict[str, Any]] = [
        {"sensitivity": "RESTRICTED"},
        {"sensitivity": "INTERNAL"},
        {"readers": {"group:staff"}},
        {"readers": {"group:finance", "user:eve"}},
        {"readers": set()},
        {"readers": None},
    ]
    readable = [set(), set(callers(tenant)), {"staff"}, {"finance", "outsider"}, set(), set(callers(tenant))]
    for given, names in zip(rights * 2, readable * 2, strict=True):
        library.relabel("moved", **given)
        database = doors.database
        with RagSpine.open(database.reader_url, grant_key=database.grant_key, embedding_models=[world.MODEL]) as fresh:
            for mode in MODES.values():
                for caller, access in callers(tenant).items():
                    expected = moved.ask(fresh, access, mode)
                    assert bool(hits_of(expected)) == (caller in names)
                    assert doors.by_facade(access, mode) == expected
                    assert doors.by_awaiting(access, mode) == expected
                    assert doors.by_sql(access, mode) == expected
        for caller in retriever:
            assert bool(retriever[caller].retrieve(world.QUESTION).hits) == (caller in names)


def test_a_client_that_is_open_remembers_no_rights(doors: Doors, tenant: str) -> None:
    assert_nothing_is_remembered(doors, tenant)


def test_remembers_no_rights_has_teeth(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: what a caller's libraries were is taken for what they are."""
    right = legs._run

    def planted(request: Any, identity: Any, plan: Any, look: Any) -> Flow[legs.Found]:
        found = yield from right(request, identity, plan, look)
        seen = {row.library_id: row for row in (*plan.by_words, *plan.by_vector)}
        return replace(found, libraries=list(seen.values()))

    monkeypatch.setattr(legs, "_run", planted)
    with pytest.raises(AssertionError):
        assert_nothing_is_remembered(doors, tenant)


def test_a_kept_answer_has_teeth(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a client that keeps the answer to a question."""
    right, kept = RagSpine.search, {}

    def search(self: RagSpine, query: str, *, access: Access, **options: Any) -> Any:
        key = (query, access, repr(options))
        if key not in kept:
            kept[key] = right(self, query, access=access, **options)
        return kept[key]

    monkeypatch.setattr(RagSpine, "search", search)
    with pytest.raises(AssertionError):
        assert_nothing_is_remembered(doors, tenant)


def test_what_is_remembered_is_no_grant(doors: Doors, tenant: str) -> None:
    """What the client has seen of a caller's libraries shows in nobody else's answers."""
    doors.build(tenant, MODES, "parent_child")
    library = doors.spine.create_library(tenant, "board", embedding=world.MODEL)
    library.ingest([MOVED])
    library.relabel("moved", readers={"group:board"})
    board = Access(tenant, {"group:board"})
    before = {caller: doors.by_facade(access, HYBRID) for caller, access in callers(tenant).items()}
    for _ in range(2):
        assert hits_of(doors.by_facade(board, HYBRID))
        for caller, access in callers(tenant).items():
            answer = doors.by_facade(access, HYBRID)
            assert answer == before[caller]
            assert "board" not in answer
