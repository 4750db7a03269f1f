"""Readers whose very snapshot is counted anew: what they are shown is compared with that, hit by hit."""

import json
import random
import time
from threading import Event
from typing import Any

import psycopg

from ragspine_pg import Access, RagSpine, SearchResult
from ragspine_pg.contract.embedded import vector_text
from ragspine_pg.contract.ports import EmbeddingTask
from tests.access.churn.journal import Journal
from tests.access.churn.library import CALLERS, FILTERS, LIBRARY, MODEL, QUERIES, STRANGERS
from tests.access.churn.recount import Bags, Recount
from tests.access.churn.seen import Seen
from tests.conformance.leg_oracle import assert_agrees
from tests.fixtures.beside import in_one_snapshot
from tests.fixtures.database import Database

MODES = {"economy": None, "vector": None, "hybrid, rrf": "rrf", "hybrid, convex": "convex"}
_ASK = """
SELECT ragspine.search_json(%(query)s, k => %(k)s, libraries => %(libraries)s, mode => %(mode)s, filter => %(filter)s,
  fusion => %(fusion)s, query_embedding => %(vector)s, query_space => %(space)s)
"""


class Snapshots:
    """A reader on a connection that it lends to the facade and sends SQL over, beside the owner's in its snapshot."""

    def __init__(self, database: Database, journal: Journal, seen: Seen, seed: int) -> None:
        self._database = database
        self._journal = journal
        self._seen = seen
        self._draw = random.Random(seed)
        self._bags = Bags()

    def read(self, stop: Event) -> None:
        """Snapshot after snapshot."""
        with (
            psycopg.connect(self._database.owner_url, autocommit=True) as owner,
            psycopg.connect(self._database.reader_url, autocommit=True) as reader,
            RagSpine.open(reader, grant_key=self._database.grant_key, embedding_models=[MODEL]) as spine,
        ):
            while not stop.is_set():
                self.look(owner, reader, spine)

    def look(self, owner: psycopg.Connection[Any], reader: psycopg.Connection[Any], spine: RagSpine) -> None:
        """One snapshot, in which a caller asks for this and that, and a stranger for everything."""
        access = self._draw.choice(CALLERS)
        before, since = self._journal.finished, time.monotonic()
        with in_one_snapshot(owner, reader):
            until = time.monotonic()
            recount = Recount.made(owner, access, self._bags)
            self.compare_with_journal(recount, since, until)
            for mode in self._draw.sample(list(MODES), len(MODES)):
                self.ask(reader, spine, access, recount, mode)
            stranger = spine.search(QUERIES[0], access=self._draw.choice(STRANGERS), libraries=LIBRARY, mode="auto")
            assert (stranger.hits, stranger.reason) == ((), "nothing_readable"), "a stranger was told something"
        self._seen.snapshot(overlapped=self._journal.finished > before)

    def compare_with_journal(self, recount: Recount, since: float, until: float) -> None:
        """Each document is what its writers made of it when the snapshot was taken: nothing is lost, nothing late."""
        for name in self._journal.names:
            stored = recount.documents.get(name)
            state = None if stored is None else stored.state
            assert state in self._journal.states(name, since, until), f"{name} is what nobody wrote then: {state}"

    def ask(
        self, reader: psycopg.Connection[Any], spine: RagSpine, access: Access, recount: Recount, mode: str
    ) -> None:
        """One question, by the facade and by SQL: both answers are what was counted, and the same bytes."""
        query, narrowed = self._draw.choice(QUERIES), self._draw.choice(list(FILTERS))
        k = self._draw.choice([3, 10, 25, 60])
        named, condition = mode.partition(",")[0], FILTERS[narrowed]
        result = spine.search(
            query, access=access, libraries=LIBRARY, k=k, mode=named, fusion=MODES[mode], metadata_filter=condition
        )
        self.compare(result, recount, query, mode, narrowed, k)
        wanted = named != "economy"
        reader.execute("SELECT ragspine.assume(%s)", [spine.grant(access)])
        row = reader.execute(
            _ASK,
            {
                "query": query,
                "k": k,
                "libraries": [LIBRARY],
                "mode": named,
                "filter": None if condition is None else condition.to_json(),
                "fusion": None if MODES[mode] is None else json.dumps({"method": MODES[mode]}),
                "vector": vector_text(MODEL.embed([query], EmbeddingTask.RETRIEVAL_QUERY).vectors[0])
                if wanted
                else None,
                "space": MODEL.space.fingerprint if wanted else None,
            },
        ).fetchone()
        assert row == (result.to_json(),), "SQL and Python differ in one snapshot"
        self._seen.searched("facade, in a snapshot", len(result.hits))
        self._seen.searched("SQL, in a snapshot", len(result.hits))

    def compare(self, result: SearchResult, recount: Recount, query: str, mode: str, narrowed: str, k: int) -> None:
        """Hits, order, scores, ranks and rights against the recount."""
        own = recount.oracle.scores(query)
        for hit in result.hits:
            stored = recount.documents[hit.document_id]
            assert hit.chunk_id in recount.oracle.passing[narrowed], f"{hit.document_id} may not be read here"
            shown = (hit.title, hit.sensitivity, hit.index_version)
            assert shown == (stored.title, stored.state.label, recount.version), f"{shown} of {stored}"
            for leg, score in hit.scores.items():
                counted = own[leg][hit.chunk_id]
                assert abs(score - counted) <= 2e-6, f"the {leg} leg's score is {score}, not {counted}"
        assert_agrees(result, recount.oracle.expect(query, mode, narrowed), k)
