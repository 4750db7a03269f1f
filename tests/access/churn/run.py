"""All of them at once, for a time; and what has to be true when they have gone."""

from collections.abc import Callable
from dataclasses import dataclass

import psycopg

from ragspine_pg import RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.config import ServiceConfig
from tests.access.churn.journal import Journal
from tests.access.churn.library import CALLERS, LIBRARY, MODEL, PIVOT, TENANT
from tests.access.churn.recount import Bags, Recount
from tests.access.churn.seen import Seen
from tests.access.churn.snapshots import Snapshots
from tests.access.churn.watchers import Watchers
from tests.access.churn.writers import Writers
from tests.fixtures.beside import run_beside
from tests.fixtures.database import Database
from tests.ingest.edition import audited


@dataclass(frozen=True)
class Churned:
    """A run without a failure, at its end."""

    library: Library
    journal: Journal
    seen: Seen


def churn(database: Database, seconds: float, enough: Callable[[Journal, Seen], bool]) -> Churned:
    """Write and read for ``seconds``, and until it was ``enough``; raises the first failure of any thread."""
    with RagSpine.open(
        database.reader_url,
        ingest=database.ingest_url,
        grant_key=database.grant_key,
        config=ServiceConfig(pool_size=12),
        embedding_models=[MODEL],
    ) as spine:
        library = spine.create_library(
            TENANT,
            LIBRARY,
            embedding=MODEL,
            fields={"n": "number"},
            profile={"pivot": PIVOT, "chunker_options": {"size": 90}},
        )
        journal, seen = Journal(), Seen()
        writers = Writers(library, journal)
        writers.prepare()
        watchers = Watchers(database, journal, seen)
        loops = {
            **writers.all(),
            "snapshots": Snapshots(database, journal, seen, 40).read,
            "more snapshots": Snapshots(database, journal, seen, 41).read,
            "searches": watchers.search,
            "awaited searches": watchers.await_searches,
            "audits": watchers.audit,
        }
        run_beside(loops, seconds, lambda: enough(journal, seen))
        assert_settled(database, library, journal)
        return Churned(library, journal, seen)


def assert_settled(database: Database, library: Library, journal: Journal) -> None:
    """Nothing was lost, nothing is left over, and what is stored agrees with itself, recounted from the ground."""
    with psycopg.connect(database.owner_url) as connection:
        recount = Recount.made(connection, CALLERS[0], Bags())
        for name in journal.names:
            stored = recount.documents.get(name)
            assert (None if stored is None else stored.state) == journal.last(name), f"a write of {name} was lost"
    findings = audited(database, library)
    assert findings == [], findings
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        row = connection.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
        assert row == (0,), f"{row} deadlocks"
