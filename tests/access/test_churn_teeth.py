"""What ``test_churn`` asserts finds real faults, of the SQL and of the writers."""

import time
import types
from dataclasses import replace

import pytest

from ragspine_pg.flow.steps import Statement
from ragspine_pg.ingest import delete, fold, pipeline, relabel, settle, verify
from tests.access.churn.run import churn
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import Plant, edited_function

pytestmark = not_behind


def assert_found(database: Database) -> None:
    """The core: some thread's assertion, or one at the end, fails; an error of another kind is none."""
    with pytest.raises(AssertionError):
        churn(database, 60, lambda journal, seen: True)


@pytest.fixture(autouse=True)
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ingest does not verify statistics itself: what is wrong has to be seen from outside."""
    monkeypatch.setattr(verify, "_STATISTICS", replace(verify._STATISTICS, text="SELECT 0"))


IN_SQL = {
    "a lexical leg of all classes": ("lexical_scan_v1", ("AND x.acl_class_no = ANY ($3)", "")),
    "a vector leg of all classes": ("vector_scan_v1", (" AND x.acl_class_no = ANY ($3)", "")),
    "statistics of all classes": ("weigh_terms_v1", ("AND c.acl_class_no = ANY (classes)", "")),
    "restricted text is embedded": ("embeds_v1", ("ELSE false", "ELSE true")),
    "restricted text is readable": ("caller_v1", ("'CONFIDENTIAL')", "'CONFIDENTIAL', 'RESTRICTED')")),
}


@pytest.mark.parametrize("name", IN_SQL)
def test_churn_over_faulty_sql_has_teeth(fresh_database: Database, plant: Plant, name: str) -> None:
    plant(*IN_SQL[name])
    assert_found(fresh_database)


NOTHING = "SELECT 0 WHERE false"
IN_STATEMENTS: dict[str, tuple[types.ModuleType, str, tuple[str, str]]] = {
    "a relabel moves no document frequency": (relabel, "_MOVE_STATISTICS", ("AND s.of_words", "AND false")),
    "a relabel moves no length": (relabel, "_MOVE_STATISTICS", ("s.version_no = e.version_no", "false")),
    "a relabel leaves the vectors": (relabel, "_RELABEL_EMBEDDINGS", ("", NOTHING)),
    "a delete leaves its document frequencies": (delete, "_MOVE_STATISTICS", ("AND s.of_words", "AND false")),
    "a fold loses rows": (fold, "_FOLD_LEXEME_STAT", ("sum(g.chunk_count)\n", "max(g.chunk_count)\n")),
}


def edited(statement: Statement, old: str, new: str) -> Statement:
    assert old in statement.text
    return replace(statement, text=statement.text.replace(old, new) if old else new)


@pytest.mark.parametrize("name", IN_STATEMENTS)
def test_churn_over_a_faulty_statement_has_teeth(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module, statement, edit = IN_STATEMENTS[name]
    monkeypatch.setattr(module, statement, edited(getattr(module, statement), *edit))
    assert_found(fresh_database)


IN_PYTHON: dict[str, tuple[types.ModuleType, types.ModuleType, str, list[tuple[str, str]]]] = {
    "a relabel reads the old class before it has the lock": (
        pipeline,
        relabel,
        "relabel",
        [("if under_lock != found:", "if False:")],
    ),
    "an ingest keeps the rights of before it had the lock": (
        settle,
        settle,
        "lock",
        [
            # and takes its time to lock, or few get in between
            ("yield from fetch(_ADD_CLASSES,", "time.sleep(0.2)\n        yield from fetch(_ADD_CLASSES,"),
            ("if (yield from keep_stored(target)) == 0:", "if True:"),
        ],
    ),
}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_churn_over_a_faulty_flow_has_teeth(
    fresh_database: Database, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    user, module, function, edits = IN_PYTHON[name]
    planted = edited_function(getattr(module, function), *edits, time=time)
    monkeypatch.setattr(user, function, planted)
    assert_found(fresh_database)
