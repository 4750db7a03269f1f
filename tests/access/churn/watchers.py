"""Readers as applications have them, on pools of their own: what they are shown is held against the journal."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from threading import Event

import psycopg

from ragspine_pg import Access, AsyncRagSpine, RagSpine, SearchResult
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow
from ragspine_pg.ingest.audit import Finding, audit
from ragspine_pg.ingest.target import find_target
from tests.access.churn.journal import Journal
from tests.access.churn.library import CALLERS, EVERYWHERE, LIBRARY, MODEL, QUERIES, STRANGERS, TENANT, edition_of
from tests.access.churn.seen import Seen
from tests.fixtures.database import Database

MODES = ("economy", "vector", "hybrid", "auto")
_ORPHANS = """
SELECT count(*)
  FROM ragspine.chunk_embedding AS e
  JOIN ragspine.document AS d USING (tenant_no, document_no)
  JOIN ragspine.acl_class AS k ON k.tenant_no = d.tenant_no AND k.acl_class_no = d.acl_class_no
 WHERE k.sensitivity = 'RESTRICTED' OR e.acl_class_no <> d.acl_class_no
"""


class Watchers:
    """Searches by the blocking and by the awaited client, and audits, all the time."""

    def __init__(self, database: Database, journal: Journal, seen: Seen) -> None:
        self._database = database
        self._journal = journal
        self._seen = seen

    def search(self, stop: Event) -> None:
        """By one retriever for all callers, as long as it goes on."""
        draw = random.Random(20)
        with RagSpine.open(
            self._database.reader_url, grant_key=self._database.grant_key, embedding_models=[MODEL]
        ) as spine:
            while not stop.wait(0.005):
                access, query, mode = self._drawn(draw)
                since = time.monotonic()
                result = spine.search(query, access=access, k=1000, mode=mode)
                self.compare("facade", access, query, result, since)

    def await_searches(self, stop: Event) -> None:
        """By the awaited client, several at once."""

        async def searches(ask: Callable[..., Awaitable[SearchResult]], seed: int) -> None:
            draw = random.Random(seed)
            while not stop.is_set():
                access, query, mode = self._drawn(draw)
                since = time.monotonic()
                result = await ask(query, access=access, k=1000, mode=mode)
                self.compare("awaited", access, query, result, since)
                await asyncio.sleep(0.01)

        async def body() -> None:
            opening = AsyncRagSpine.open(
                self._database.reader_url,
                grant_key=self._database.grant_key,
                config=ServiceConfig(pool_size=2),
                embedding_models=[MODEL],
            )
            async with await opening as spine:
                await asyncio.gather(*(searches(spine.search, seed) for seed in (30, 31, 32)))

        asyncio.run(body())

    def _drawn(self, draw: random.Random) -> tuple[Access, str, str]:
        access = draw.choice(STRANGERS) if draw.random() < 0.1 else draw.choice(CALLERS)
        return access, draw.choice([EVERYWHERE, *QUERIES]), draw.choice(MODES)

    def compare(self, door: str, access: Access, query: str, result: SearchResult, since: float) -> None:
        """Nothing that could not be read at any time since the search began; and all that could be all the time."""
        until = time.monotonic()
        found = {(hit.document_id, edition_of(hit.title), hit.sensitivity) for hit in result.hits}
        shown = {name: (edition, label) for name, edition, label in found}
        assert len(shown) == len(found), "a document is shown in two states at once"
        assert Sensitivity.RESTRICTED not in {label for _, label in shown.values()}, "RESTRICTED text was shown"
        whole = result.mode == "vector" or EVERYWHERE in query
        for name in self._journal.names:
            possible = self._journal.states(name, since, until)
            if name in shown:
                states = {state for state in possible if state is not None and state.readable(access)}
                assert shown[name] in {(state.edition, state.label) for state in states}, f"{name} could not be read"
            elif whole:
                assert not all(state is not None and state.readable(access) for state in possible), f"{name} is missing"
        self._seen.searched(door, len(result.hits))

    def audit(self, stop: Event) -> None:
        """All that is stored agrees with a recount at every commit, and there is no vector of a RESTRICTED text."""

        def flow() -> Flow[list[Finding]]:
            target = yield from find_target(TENANT, LIBRARY)
            return (yield from audit(target))

        with psycopg.connect(self._database.ingest_url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            while not stop.wait(0.05):
                findings = run(flow(), connection)
                assert findings == [], findings
                orphans = connection.execute(_ORPHANS).fetchone()
                assert orphans == (0,), f"{orphans} vectors of texts that are RESTRICTED, or of another class"
                connection.rollback()
                self._seen.audited()
