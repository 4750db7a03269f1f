"""Bulk writes do not depend on statistics that are not there yet."""

import psycopg
import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.flow.steps import Statement
from ragspine_pg.ingest import write
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf

DOCUMENTS = [Document(f"d{n}", " ".join(f"word{n * 10 + k}" for k in range(10))) for n in range(500)]


def word_look_up(database: Database) -> str:
    """The plan by which the owner finds a word of the newest version, by constants as the legs do."""
    with psycopg.connect(database.owner_url) as connection:
        row = connection.execute("SELECT max(tenant_no), max(version_no) FROM ragspine.index_version").fetchone()
        assert row is not None
        plan = connection.execute(
            f"EXPLAIN SELECT lexeme_no FROM ragspine.lexeme WHERE tenant_no = {row[0]} AND version_no = {row[1]}"
            " AND lexeme = 'word7'"
        ).fetchall()
    return "\n".join(line for (line,) in plan)


def test_after_a_first_ingest_a_word_is_found_by_its_own_index(fresh_database: Database) -> None:
    Shelf(fresh_database).ingest_all(DOCUMENTS)
    assert "Index Cond" in word_look_up(fresh_database)
    assert "Filter" not in word_look_up(fresh_database)


def test_a_second_library_s_version_is_known_to_the_planner_too(fresh_database: Database) -> None:
    Shelf(fresh_database).ingest_all(DOCUMENTS)
    Shelf(fresh_database).ingest_all(DOCUMENTS)
    assert "Filter" not in word_look_up(fresh_database)


def test_word_look_up_has_teeth(fresh_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Statement[int] = Statement("none", "SELECT 1", int)
    monkeypatch.setattr(write, "_REFRESH_PLANNER", nothing)
    Shelf(fresh_database).ingest_all(DOCUMENTS)
    assert "Filter" in word_look_up(fresh_database)
