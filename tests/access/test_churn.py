"""Relabels, deletes, ingests, rebuilds and searches all at once: at every snapshot, what is shown is what may be read.

Two readers share their very snapshots with the owner, who counts them anew: rights from the documents, BM25 from the
chunks' texts, vectors from the model. Others search as applications do, held against what the writers wrote when.
"""

from collections import Counter
from functools import partial

import pytest

from tests.access.churn.journal import Journal
from tests.access.churn.run import Churned, churn
from tests.access.churn.seen import Seen
from tests.fixtures.database import Database
from tests.fixtures.pooler import not_behind

# A pooler changes nothing of what is shown, and it takes its minute.
pytestmark = [not_behind, pytest.mark.usefixtures("eagerly_sealed")]

WRITES: Counter[str] = Counter(
    {
        "ingest": 20,
        "relabel": 100,
        "raise": 50,
        "lower": 50,
        "add": 5,
        "delete": 2,
        "contended ingest": 10,
        "contended relabel": 10,
        "contended delete": 5,
        "rebuild": 3,
        "publish": 3,
        "rollback": 3,
        "optimize": 20,
    }
)
DOORS = ("facade", "awaited", "facade, in a snapshot", "SQL, in a snapshot")


def enough(times: int, journal: Journal, seen: Seen) -> bool:
    """Whether writes of each kind and searches by each door were many, and beside each other."""
    wanted = {kind: number * times for kind, number in WRITES.items()}
    return (
        all(journal.writes[kind] >= number for kind, number in wanted.items())
        and all(seen.hits[door] >= 200 * times for door in DOORS)
        and sum(seen.hits.values()) >= 2000 * times
        and seen.overlapped >= 50 * times
        and seen.audits >= 30 * times
    )


def assert_seen(done: Churned, times: int) -> None:
    assert enough(times, done.journal, done.seen), (done.journal.writes, vars(done.seen))


def test_much_of_a_minute_of_relabels_deletes_ingests_rebuilds_and_searches(fresh_database: Database) -> None:
    assert_seen(churn(fresh_database, 40, partial(enough, 1)), 1)


@pytest.mark.soak
def test_ten_minutes_of_relabels_deletes_ingests_rebuilds_and_searches(fresh_database: Database) -> None:
    assert_seen(churn(fresh_database, 600, partial(enough, 10)), 10)
