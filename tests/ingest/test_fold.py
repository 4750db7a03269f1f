"""Statistics are appended and folded; a fold changes no sum."""

import psycopg
import pytest

from ragspine_pg.contract.document import Document
from ragspine_pg.flow.driver import run
from ragspine_pg.ingest import fold, pipeline
from tests.fixtures.pooler import not_behind
from tests.ingest.shelf import Shelf

ROWS = """
SELECT count(*)::int FROM ragspine.lexeme_stat AS s JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %(tenant)s
"""


def test_no_statistics_row_changes_nothing(shelf: Shelf) -> None:
    shelf.ingest(Document("a", "fox owl night"))
    before = shelf.owner(ROWS)
    # Same words, another order: the chunk is another one, the statistics are the same.
    assert shelf.ingest(Document("a", "night owl fox")).changed == 1
    assert shelf.owner(ROWS) == before
    assert shelf.audit() == []


def test_optimize_folds_to_one_row_a_sum_and_none_for_zero(shelf: Shelf) -> None:
    for turn in range(4):
        shelf.ingest(Document("a", f"fox owl {turn}"), Document(f"b{turn}", "owl"))
    shelf.delete("b0")
    sums = shelf.stored_statistics()
    report = shelf.run(pipeline.optimize(shelf.tenant, shelf.library))
    assert report.rows_before > report.rows_after > 0
    assert shelf.stored_statistics() == sums == shelf.recounted_statistics()
    assert shelf.owner(ROWS) == [(len([key for key in sums if key[1] is not None]),)]
    again = shelf.run(pipeline.optimize(shelf.tenant, shelf.library))
    assert (again.rows_before, again.rows_after) == (0, 0)


@not_behind
def test_a_fold_beside_an_uncommitted_writer_loses_nothing(shelf: Shelf) -> None:
    shelf.ingest(Document("a", "fox"))
    shelf.ingest(Document("b", "fox owl"))
    with psycopg.connect(shelf.database.ingest_url) as writer:
        run(pipeline.ingest(shelf.tenant, shelf.library, [Document("c", "fox night")]), writer)
        with psycopg.connect(shelf.database.ingest_url, options="-c lock_timeout=2s") as folder:
            assert run(pipeline.optimize(shelf.tenant, shelf.library), folder).rows_before > 0
    assert shelf.stored_statistics() == shelf.recounted_statistics()


@not_behind
def test_two_folds_at_once_neither_wait_nor_lose(shelf: Shelf) -> None:
    shelf.ingest(Document("a", "fox"))
    shelf.ingest(Document("b", "fox owl"))
    with psycopg.connect(shelf.database.ingest_url) as first:
        assert run(pipeline.optimize(shelf.tenant, shelf.library), first).rows_before > 0
        with psycopg.connect(shelf.database.ingest_url, options="-c lock_timeout=2s") as second:
            assert run(pipeline.optimize(shelf.tenant, shelf.library), second).rows_before == 0
    assert shelf.stored_statistics() == shelf.recounted_statistics()


@not_behind
def test_a_fold_leaves_out_a_version_that_is_being_deleted_and_has_its_deletion_wait(shelf: Shelf) -> None:
    for name in "ab":
        shelf.ingest(Document(name, "fox"))
    with psycopg.connect(shelf.database.owner_url) as deleter:
        deleter.execute("SELECT FROM ragspine.index_version FOR UPDATE")
        with psycopg.connect(shelf.database.ingest_url, options="-c lock_timeout=2s") as folder:
            assert run(pipeline.optimize(shelf.tenant, shelf.library), folder).rows_before == 0
    with psycopg.connect(shelf.database.ingest_url) as folder:
        assert run(pipeline.optimize(shelf.tenant, shelf.library), folder).rows_before > 0
        with psycopg.connect(shelf.database.owner_url) as deleter, pytest.raises(psycopg.errors.LockNotAvailable):
            deleter.execute("SELECT FROM ragspine.index_version FOR UPDATE NOWAIT")


def test_an_ingest_folds_when_a_sum_has_too_many_rows(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "FOLD_LIMIT", 3)
    for turn in range(4):
        shelf.ingest(Document(f"d{turn}", "fox"))
    assert shelf.owner(ROWS) == [(1,)]
    assert shelf.stored_statistics() == shelf.recounted_statistics()
