"""The order in which a publish locks documents, against others who lock them by id."""

import time
from typing import Any

import psycopg
import pytest

from ragspine_pg import Document, RagSpine
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest import catch_up, publish
from ragspine_pg.ingest.target import Target
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine
from tests.ingest.waiting import Waiting

LOCK = """
SELECT d.document_no
  FROM ragspine.document AS d JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %s AND d.document_id = %s
   FOR NO KEY UPDATE OF d
"""
WAITED_FOR = "SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))"


def until_waited_for(connection: psycopg.Connection[Any]) -> None:
    for _ in range(600):
        if connection.execute(WAITED_FOR).fetchone() is not None:
            return
        time.sleep(0.05)
    raise AssertionError("nobody waits for the lock")


@pytest.mark.parametrize("pivot", ["measured", 10])
def test_a_publish_that_catches_up_locks_by_id_as_a_discard_does(
    spine: RagSpine,
    database: Database,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    pivot: object,
) -> None:
    # By its length one document a batch; "z" was stored first: it is the first to be caught up, and the last by id.
    monkeypatch.setattr(catch_up, "BATCH", (2, 1))
    library = spine.create_library(request.node.name, "books", profile={"pivot": pivot})
    library.ingest([Document("z", "one")])
    library.ingest([Document("a", "two")])
    version = library.rebuild(analyzer="simple").version
    right = publish.lock_versions
    with open_spine(database) as other, psycopg.connect(database.owner_url) as discard:

        def change_and_hold(target: Target) -> Flow[None]:
            monkeypatch.setattr(publish, "lock_versions", right)
            writer = other.library(library.tenant, library.library_id)
            writer.ingest([Document("z", "one more")] + [Document("a", "two more")] * (pivot != "measured"))
            discard.execute(LOCK, [library.tenant, "a"])
            yield from right(target)

        monkeypatch.setattr(publish, "lock_versions", change_and_hold)
        publishing = Waiting(lambda: library.publish(version))
        publishing.start()
        until_waited_for(discard)
        discard.execute(LOCK, [library.tenant, "z"])
        discard.commit()
        publishing.ends()
    states = {found.version: (found.state, found.pending) for found in library.versions()}
    assert states[version] == ("published", 0)
