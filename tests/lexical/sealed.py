"""One search twice: by postings, and by the scan that it takes where there are none."""

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg

from ragspine_pg import Access
from ragspine_pg.contract.grant import GrantKey, mint_grant
from tests.ingest.shelf import Shelf

EVERYTHING = '{"field": "nothing", "op": "exists", "value": false}'
LEG = "SELECT g.* FROM ragspine.lexical_leg_v1(%(version)s, %(query)s, %(k)s, %(filter)s::jsonb) AS g ORDER BY g.rank"
SEGMENTS = """
SELECT count(*)::int FROM ragspine.posting_segment AS s JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %(tenant)s
"""
VERSION = """
SELECT v.version_no FROM ragspine.index_version AS v
  JOIN ragspine.library AS l USING (tenant_no, library_no) JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %(tenant)s AND l.library_id = %(library)s AND v.state = 'published'
"""


def assert_same_as_a_scan(
    shelf: Shelf,
    callers: Iterable[Sequence[str]],
    queries: Iterable[str],
    k: int,
    filters: Sequence[str | None] = (None, EVERYTHING),
) -> int:
    """The core: chunks, ranks and scores are the same to the last bit; how many hits there were.

    The scan is the owner's, in a transaction in which the segments are deleted, and which is rolled back.
    """
    version, hits = shelf.owner(VERSION)[0][0], 0
    queries = list(queries)
    with psycopg.connect(shelf.database.reader_url) as reader, shelf.owner_connection() as owner:
        owner.execute("DELETE FROM ragspine.posting_segment")
        for caller in callers:
            grant = mint_grant(GrantKey.parse(shelf.database.grant_key), Access(shelf.tenant, set(caller)))
            for connection in (reader, owner):
                connection.execute("SELECT ragspine.assume(%s)", [grant])
            for query in queries:
                for filter in filters:
                    asked: dict[str, Any] = {"version": version, "query": query, "k": k, "filter": filter}
                    sealed = reader.execute(LEG, asked).fetchall()
                    scanned = owner.execute(LEG, asked).fetchall()
                    assert sealed == scanned, (caller, query, k, filter, sealed, scanned)
                    hits += len(sealed)
        owner.rollback()
    return hits


def segments(shelf: Shelf) -> int:
    return int(shelf.owner(SEGMENTS)[0][0])
