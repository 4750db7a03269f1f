"""The exits, each by itself: what the legs let through by a fault does not leave."""

import json
from collections.abc import Callable
from dataclasses import replace

import psycopg
import pytest

from ragspine_pg import Access, Locator, RagSpine
from ragspine_pg.contract.passage import Passage
from ragspine_pg.retrieval.exits.link import through_link
from ragspine_pg.retrieval.exits.rerank import through_rerank
from tests.access import world
from tests.access.test_isolation import chunks_of_all
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant

TEXT = "Returns are accepted within 30 days."
ME = Access("acme", {"group:staff", "user:ann"})
GOOD = Passage(
    position=1,
    tenant="acme",
    library_id="handbook",
    document_id="returns",
    chunk_id="0" * 32,
    index_version=1,
    title="",
    source_uri="",
    metadata={},
    sensitivity="INTERNAL",
    open_to_members=False,
    reader_principals=frozenset({"group:staff"}),
    locator=str(Locator.of(TEXT, 0, len(TEXT))),
    parent_locator="",
    text=TEXT,
    window_text="",
)
BAD = {
    "restricted": replace(GOOD, sensitivity="RESTRICTED"),
    "unknown label": replace(GOOD, sensitivity="internal"),
    "padded label": replace(GOOD, sensitivity="INTERNAL "),
    "blank label": replace(GOOD, sensitivity=""),
    "another tenant": replace(GOOD, tenant="globex"),
    "no reader of mine": replace(GOOD, reader_principals=frozenset()),
    "somebody else's": replace(GOOD, reader_principals=frozenset({"group:board"})),
    "another text": replace(GOOD, text="Returns are refused."),
}
Exit = Callable[[list[Passage], Access], list[Passage]]
EXITS: dict[str, Exit] = {
    "link": lambda passages, access: through_link(passages, access),
    "rerank": lambda passages, access: through_rerank(passages, access, remote=False),
    "rerank, remote": lambda passages, access: through_rerank(passages, access, remote=True),
}


@pytest.mark.parametrize("name", EXITS)
def test_what_may_leave_leaves_in_order(name: str) -> None:
    open_one = replace(GOOD, document_id="open", open_to_members=True, reader_principals=frozenset())
    assert EXITS[name]([GOOD, open_one, GOOD], ME) == [GOOD, open_one, GOOD]


@pytest.mark.parametrize("fault", BAD)
@pytest.mark.parametrize("name", EXITS)
def test_each_exit_keeps_it_by_itself(name: str, fault: str) -> None:
    assert EXITS[name]([GOOD, BAD[fault], GOOD], ME) == [GOOD, GOOD]


@pytest.mark.parametrize("name", EXITS)
def test_without_a_principal_nothing_leaves(name: str) -> None:
    open_one = replace(GOOD, open_to_members=True)
    assert EXITS[name]([GOOD, open_one], Access("acme")) == []


def test_confidential_text_goes_to_no_remote_judge_unless_the_library_opted_in() -> None:
    confidential = replace(GOOD, sensitivity="CONFIDENTIAL")
    assert through_rerank([confidential], ME, remote=True) == []
    assert through_rerank([confidential], ME, remote=True, confidential_may_leave=True) == [confidential]
    assert through_rerank([confidential], ME, remote=False) == [confidential]
    assert (
        through_rerank([replace(GOOD, sensitivity="RESTRICTED")], ME, remote=False, confidential_may_leave=True) == []
    )


def open_every_lock_but_the_exit(database: Database, plant: Plant) -> None:
    """Policies gone, and every explicit condition on classes made true: what is left is the exit."""
    plant(
        "caller_v1",
        (" AND c.readers_sha256 = ragspine.readers_sha256_v1('{}', true)\n", "\n"),
        ("AND c.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL') AND c.open_to_members", ""),
    )
    plant("admits_v1", ("RETURN coalesce(", "RETURN true OR coalesce("))
    plant(
        "read_passages_v1",
        ("WHERE a.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')", "WHERE true"),
        ("AND (a.open_to_members", "AND (true OR a.open_to_members"),
    )
    with psycopg.connect(database.owner_url) as connection:
        connection.execute("ALTER POLICY readable ON ragspine.acl_reader USING (true)")


def asked_in_sql(spine: RagSpine, database: Database, mode: world.Mode) -> str:
    """What SQL's own exit lets through to the outsider."""
    return world.doors(spine, database, mode=mode)["SQL search_json"](world.OUTSIDER)


def asked_in_python(spine: RagSpine, mode: world.Mode) -> str:
    """What Python's exit lets through to the outsider."""
    return spine.search(world.QUESTION, access=world.OUTSIDER, mode=mode.mode, fusion=mode.fusion).to_json()


@pytest.mark.parametrize("name", world.MODES)
def test_link_holds_when_everything_before_it_fails(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str
) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    open_every_lock_but_the_exit(fresh_database, plant)
    with psycopg.connect(fresh_database.reader_url) as connection:
        connection.execute("SELECT ragspine.assume(%s)", [fresh_spine.grant(world.OUTSIDER)])
        leaked = connection.execute(
            "SELECT document_id FROM ragspine.read_passages_v1(%s, %s)", chunks_of_all(fresh_database)
        ).fetchall()
        assert len(leaked) == 5, "the fault is real: the chunks of all five documents are readable"
    if mode.ran != "economy":
        legs = world.doors(fresh_spine, fresh_database, mode=mode)["SQL vector legs"](world.OUTSIDER)
        assert legs.count("'scan'") == 4, "and the vectors of the four that have one are found"
    in_sql, in_python = asked_in_sql(fresh_spine, fresh_database, mode), asked_in_python(fresh_spine, mode)
    assert json.loads(in_python)["mode"] == mode.ran
    assert world.documents_in(in_python) == ["open"]
    assert in_sql.count('"document_id":"') == in_sql.count('"document_id":"open"') == 1
    assert world.CANARY not in in_python + in_sql


@pytest.mark.parametrize("name", world.MODES)
def test_the_exit_in_sql_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant: Plant, name: str) -> None:
    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    open_every_lock_but_the_exit(fresh_database, plant)
    plant(
        "search_hits_v1",
        ("WHERE p.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL')", "WHERE true"),
        ("CASE WHEN p.open_to_members THEN cardinality(granted.principals) > 0", "CASE WHEN true THEN true"),
    )
    assert world.CANARY in asked_in_sql(fresh_spine, fresh_database, mode)


@pytest.mark.parametrize("name", world.MODES)
def test_the_exit_in_python_has_teeth(
    fresh_spine: RagSpine, fresh_database: Database, plant: Plant, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from ragspine_pg.retrieval import pipeline

    mode = world.MODES[name]
    world.build(fresh_spine, embedded=mode.embedded)
    open_every_lock_but_the_exit(fresh_database, plant)
    monkeypatch.setattr(pipeline, "through_link", lambda passages, access: list(passages))
    assert world.CANARY in asked_in_python(fresh_spine, mode)
