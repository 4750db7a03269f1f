"""A relabel is in force when it returns, for every caller, mode, chunker and door; before, nothing of it is seen."""

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Statement
from ragspine_pg.ingest import pipeline
from ragspine_pg.ingest import relabel as relabel_stage
from tests.access import moved, world
from tests.access.moved import (
    MOVED,
    WITH_VECTORS,
    WITHOUT_VECTORS,
    Doors,
    Modes,
    Shown,
    hits_of,
    labelled,
    scores_of_others,
)
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant
from tests.ingest.edition import audited

HYBRID = {"hybrid": world.MODES["hybrid"]}


def assert_follows(doors: Doors, tenant: str, modes: Modes, chunker: str = "default") -> None:
    """The core: after each relabel, everybody gets byte for byte what a library of these rights gives.

    So nothing of the document is left for whom it was taken from, no statistic still counts it, and what comes back is
    what it was.
    """
    library = doors.build(tenant, modes, chunker)
    without = doors.shown(library, modes)
    library.ingest([MOVED])
    open_to_all, rows = doors.shown(library, modes), doors.rows_below(library)
    assert all(hits_of(answer) for answer in open_to_all.values())
    assert rows["chunk_embedding"] == (0 if "without vectors" in modes else rows["chunk"])
    assert rows["document_page"] > 0
    assert rows["document_field"] == 1
    for name, mode in modes.items():
        if mode.ran != "vector":  # its statistics are in the others' scores
            assert scores_of_others(open_to_all[name, "staff"]) != scores_of_others(without[name, "staff"])

    def now() -> Shown:
        assert audited(doors.database, library, deep=False) == []
        below = doors.rows_below(library)
        assert below == rows | {"chunk_embedding": below["chunk_embedding"]}
        return doors.shown(library, modes)

    def vectors() -> int:
        return doors.rows_below(library)["chunk_embedding"]

    def shown_to(*names: str) -> Shown:
        return {key: (open_to_all if key[1] in names else without)[key] for key in without}

    assert library.relabel("moved", sensitivity="RESTRICTED")
    assert now() == without
    assert vectors() == 0
    assert library.relabel("moved", readers={"group:staff"})  # of whom nobody gets anything yet
    assert doors.shown_by_sql(library, modes) == without
    assert library.relabel("moved", sensitivity="INTERNAL")
    assert now() == shown_to("staff")
    assert vectors() == rows["chunk_embedding"]
    assert library.relabel("moved", readers={"group:finance", "user:eve"}, sensitivity="CONFIDENTIAL")
    assert now() == {
        key: answer if key[1] == "staff" else labelled(answer, "CONFIDENTIAL")
        for key, answer in shown_to("finance", "outsider").items()
    }
    assert library.relabel("moved", readers=set())
    assert doors.shown_by_sql(library, modes) == without
    assert library.relabel("moved", readers=None, sensitivity="INTERNAL")
    assert now() == open_to_all
    assert vectors() == rows["chunk_embedding"]
    assert library.delete("moved")
    assert doors.shown_by_sql(library, modes) == without


@pytest.mark.parametrize("chunker", moved.CHUNKERS)
def test_in_every_mode_a_relabel_is_as_if_it_had_always_been_so(doors: Doors, tenant: str, chunker: str) -> None:
    assert set(WITH_VECTORS) == {"economy", "vector", "hybrid", "hybrid, convex", "auto"}
    assert_follows(doors, tenant, WITH_VECTORS, chunker)


@pytest.mark.parametrize("chunker", moved.CHUNKERS)
def test_without_vectors_a_relabel_is_as_if_it_had_always_been_so(doors: Doors, tenant: str, chunker: str) -> None:
    assert_follows(doors, tenant, WITHOUT_VECTORS, chunker)


def test_the_chunkers_differ_in_what_they_make(doors: Doors, tenant: str) -> None:
    made = {}
    for chunker in moved.CHUNKERS:
        library = doors.build(f"{tenant} {chunker}", WITHOUT_VECTORS, chunker)
        library.ingest([MOVED])
        made[chunker] = doors.rows_below(library)
    assert made["whole"]["chunk"] == 1
    assert all(rows["chunk"] > 1 for name, rows in made.items() if name != "whole")
    assert {name for name, rows in made.items() if rows["parent_window"]} >= {"parent_child", "sentence_window"}


NOTHING: Statement[Any] = Statement("nothing", "SELECT 0 WHERE false", lambda *row: row)


@pytest.mark.parametrize("statement", ["_RELABEL_EMBEDDINGS", "_RELABEL"])
def test_as_if_it_had_always_been_so_has_teeth(
    doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setattr(relabel_stage, statement, NOTHING)
    with pytest.raises(AssertionError):
        assert_follows(doors, tenant, HYBRID)


@pytest.mark.parametrize(
    ("old", "new"),
    [("AND s.of_words", "AND false"), ("s.version_no = e.version_no", "false")],
    ids=["words", "lengths"],
)
def test_as_if_it_had_always_been_so_has_teeth_for_statistics(
    doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    statement = relabel_stage._MOVE_STATISTICS
    assert old in statement.text
    monkeypatch.setattr(relabel_stage, "_MOVE_STATISTICS", replace(statement, text=statement.text.replace(old, new)))
    with pytest.raises(AssertionError):
        assert_follows(doors, tenant, HYBRID)


IN_SQL: dict[str, tuple[str, tuple[str, str]]] = {
    "statistics of all classes": ("weigh_terms_v1", ("AND c.acl_class_no = ANY (classes)", "")),
    "restricted text is embedded": ("embeds_v1", ("ELSE false", "ELSE true")),
    "restricted classes are visible": ("caller_v1", ("'CONFIDENTIAL')", "'CONFIDENTIAL', 'RESTRICTED')")),
}


@pytest.mark.parametrize("name", IN_SQL)
def test_as_if_it_had_always_been_so_has_teeth_for_sql(
    fresh_database: Database, plant: Plant, tenant: str, name: str
) -> None:
    plant(*IN_SQL[name])
    with moved.opened(fresh_database) as doors, pytest.raises(AssertionError):
        assert_follows(doors, tenant, HYBRID)


# All at once: from outside, there is a before and an after.


def assert_seen_whole(doors: Doors, tenant: str, modes: Modes) -> None:
    """The core: others look after each step of a relabel, and see all of what was before; then all of what is."""
    library = doors.build(tenant, modes)
    without = doors.shown_by_sql(library, modes)
    library.ingest([MOVED])
    open_to_all, rows = doors.shown_by_sql(library, modes), doors.rows_below(library)
    looks = []

    def relabelled(before: Shown, below: dict[str, int], *, commit: bool, **rights: Any) -> None:
        def look() -> None:
            looks.append(doors.shown_by_sql(library, modes) == before)
            assert looks[-1], f"step {len(looks)} is seen from outside"
            assert doors.rows_below(library) == below

        flow = pipeline.relabel_document(tenant, "handbook", "moved", models=doors.spine.ingestor._models, **rights)
        with psycopg.connect(doors.database.ingest_url, prepare_threshold=None) as connection:
            assert run(moved.watched(flow, look), connection)
            if not commit:
                connection.rollback()

    relabelled(open_to_all, rows, commit=False, sensitivity="RESTRICTED")
    assert doors.shown(library, modes) == open_to_all
    relabelled(open_to_all, rows, commit=True, sensitivity="RESTRICTED")
    assert doors.shown(library, modes) == without
    assert audited(doors.database, library) == []
    relabelled(without, rows | {"chunk_embedding": 0}, commit=True, sensitivity="INTERNAL")
    assert doors.shown(library, modes) == open_to_all
    assert doors.rows_below(library) == rows
    assert len(looks) > 25


def test_nobody_sees_a_part_of_a_relabel(doors: Doors, tenant: str) -> None:
    assert_seen_whole(doors, tenant, {name: world.MODES[name] for name in ("economy", "vector")})


def test_a_part_of_a_relabel_has_teeth(doors: Doors, tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the vectors go in a transaction of their own, which is there before the rest."""
    right = relabel_stage.relabel

    def planted(target: Any, document_id: str, *rights: Any) -> Any:
        with psycopg.connect(doors.database.owner_url) as apart:
            apart.execute(
                "DELETE FROM ragspine.chunk_embedding AS e USING ragspine.document AS d WHERE d.tenant_no = e.tenant_no"
                " AND d.document_no = e.document_no AND d.tenant_no = %s AND d.document_id = %s",
                [target.tenant_no, document_id],
            )
        return (yield from right(target, document_id, *rights))

    monkeypatch.setattr(pipeline, "relabel", planted)
    with pytest.raises(AssertionError):
        assert_seen_whole(doors, tenant, HYBRID)
