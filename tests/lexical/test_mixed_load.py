"""Four writers, eight readers and seals, all the time: no reader sees what is not so in its own snapshot.

Beside ``tests/access/test_churn.py``, which has few chunks and everything that can happen to them, this has thousands
in segments and runs that are merged meanwhile.
"""

import types

import psycopg
import pytest

from ragspine_pg import RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.ingest import seal
from tests.fixtures.beside import run_beside
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind
from tests.fixtures.spine import edited_statement
from tests.ingest.edition import audited
from tests.lexical.load import LIBRARY, PIVOT, TENANT, Seen, Snapshots, Writers

# A pooler changes nothing of what is found.
pytestmark = [not_behind, pytest.mark.usefixtures("eagerly_sealed")]

WRITES = {"ingest": 5, "relabel": 20, "delete": 5, "ingest again": 5, "optimize": 5}


@pytest.fixture(autouse=True)
def some_wait(monkeypatch: pytest.MonkeyPatch, eagerly_sealed: None) -> None:
    """A document or two stay in the tail until somebody optimizes."""
    monkeypatch.setattr(seal, "DUE", 250)


def enough(seen: Seen, times: int) -> bool:
    return (
        all(seen.writes[kind] >= number * times for kind, number in WRITES.items())
        and seen.searches >= 200 * times
        and seen.overlapped >= 20 * times
        and seen.layered >= 10 * times
        and len(seen.layouts) >= 10
    )


def load(database: Database, seconds: float, times: int) -> Seen:
    """The core: run it, and see that nothing is left over in what is stored."""
    seen = Seen()
    with RagSpine.open(
        database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key, config=ServiceConfig(pool_size=6)
    ) as spine:
        library = spine.create_library(
            TENANT,
            LIBRARY,
            analyzer="simple",
            fields={"n": "number"},
            profile={"pivot": PIVOT, "chunker_options": {"size": 40}},
        )
        writers = Writers(library, seen)
        writers.prepare()
        loops = {**writers.loops(), **Snapshots(database, spine, seen).loops(8)}
        run_beside(loops, seconds, lambda: enough(seen, times))
        findings = audited(database, library)
        assert findings == [], findings
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        row = connection.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
        assert row == (0,), f"{row} deadlocks"
    return seen


def test_a_third_of_a_minute_of_writes_seals_and_searches(fresh_database: Database) -> None:
    seen = load(fresh_database, 20, 1)
    assert enough(seen, 1), vars(seen)
    assert seen.hits > 3000


@pytest.mark.soak
def test_ten_minutes_of_writes_seals_and_searches(fresh_database: Database) -> None:
    seen = load(fresh_database, 600, 10)
    assert enough(seen, 10), vars(seen)


ALL_OF_THE_TAIL = "t.tenant_no = %(tenant_no)s AND t.version_no = %(version_no)s AND t.acl_class_no = %(acl_class_no)s"
IN_STATEMENTS: dict[str, tuple[types.ModuleType, str, tuple[str, str]]] = {
    "a seal takes out of the tail what came meanwhile": (
        seal,
        "_FINISH",
        ("t.ctid = ANY (ARRAY(SELECT k.tid FROM locked AS k))", ALL_OF_THE_TAIL),
    ),
    "a seal forgets all but the first run that it merges": (
        seal,
        "_CHUNKS",
        ("s.run_no = ANY (%(run_nos)s::integer[])", "s.run_no = (%(run_nos)s::integer[])[1]"),
    ),
}


@pytest.mark.parametrize("name", IN_STATEMENTS)
def test_a_load_has_teeth(fresh_database: Database, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    module, statement, edit = IN_STATEMENTS[name]
    monkeypatch.setattr(module, statement, edited_statement(getattr(module, statement), *edit))
    with pytest.raises(AssertionError, match=r"results instead of|belongs to"):
        load(fresh_database, 60, 1)
