"""Writers, seals and readers of a library of thousands of chunks, all at once; readers count their snapshots anew.

Rights, labels, statistics and scores are worked out in Python from the documents' rights and the texts of the stored
chunks, as the reader's own snapshot has them; no lexeme, posting or statistic of the database is looked at.
"""

import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Final

import psycopg

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from ragspine_pg.client.library import Library
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.errors import NotFound
from tests.fixtures.beside import Loop, in_one_snapshot
from tests.fixtures.database import Database
from tests.peers.oracle import Bag, Ranked, assert_same_ranking, score_all

TENANT, LIBRARY = "load", "shelf"
PIVOT: Final = 7.0
CALLERS = (Access(TENANT, {"user:any"}), Access(TENANT, {"group:x"}), Access(TENANT, {"group:x", "group:y"}))
READERS: Sequence[frozenset[str] | None] = (
    *[None] * 6,
    frozenset({"group:x"}),
    frozenset({"group:x", "group:y"}),
    frozenset(),
)
LABELS = (*[Sensitivity.INTERNAL] * 4, Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED)
FIRST, LEAST, MOST = 60, 55, 75
"""Documents at the beginning, and between which numbers they are held."""

# Frequencies as Zipf has them: the first words are in nearly every text, the last in few.
WORDS = [f"w{n}" for n in range(300)]
WEIGHTS = list(accumulate(1 / (n + 2) for n in range(300)))
HALF = MetadataFilter.where("n", "lt", 50)

_CHUNKS = """
SELECT d.document_id, (d.metadata ->> 'n')::int, k.sensitivity, k.open_to_members,
       ARRAY(SELECT r.principal FROM ragspine.acl_reader AS r
              WHERE r.tenant_no = k.tenant_no AND r.acl_class_no = k.acl_class_no),
       (SELECT array_agg(ARRAY[c.chunk_id, c.text]) FROM ragspine.chunk AS c
         WHERE c.tenant_no = d.tenant_no AND c.document_no = d.document_no)
  FROM ragspine.tenant AS t
  JOIN ragspine.document AS d USING (tenant_no)
  JOIN ragspine.acl_class AS k USING (tenant_no, acl_class_no)
 WHERE t.tenant = %s
"""
_LAYOUT = """
SELECT s.acl_class_no, array_agg(DISTINCT s.run_no), count(*),
       (SELECT count(*) FROM ragspine.lexical_tail AS l
         WHERE l.tenant_no = s.tenant_no AND l.acl_class_no = s.acl_class_no)
  FROM ragspine.posting_segment AS s
  JOIN ragspine.tenant AS t USING (tenant_no)
 WHERE t.tenant = %s
 GROUP BY s.tenant_no, s.acl_class_no
"""
_ASK = "SELECT chunk_id, score FROM ragspine.search_lexical(%s, %s, %s, %s::jsonb) ORDER BY rank"


def document(n: int, edition: int, **rights: Any) -> Document:
    """About a hundred paragraphs, a chunk each: what is relabelled or deleted is much at once."""
    draw = random.Random(f"{n} {edition}")
    paragraphs = [
        " ".join(draw.choices(WORDS, cum_weights=WEIGHTS, k=draw.randint(5, 9))) for _ in range(draw.randint(70, 130))
    ]
    return Document(f"d{n}", "\n\n".join(paragraphs), metadata={"n": n % 100}, **rights)


@dataclass
class Seen:
    """What was written and seen, so that a run that saw nothing is no success."""

    writes: Counter[str] = field(default_factory=Counter)
    searches: int = 0
    hits: int = 0
    overlapped: int = 0
    """Snapshots during whose searches somebody's write came to its end."""
    layered: int = 0
    """Snapshots in which a class had several runs, several segments and a tail."""
    layouts: set[tuple[int, tuple[int, ...]]] = field(default_factory=set)
    """Classes with the runs they had: each is gone when a seal merges one of its runs."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def wrote(self, kind: str) -> None:
        """A write came to its end."""
        with self.lock:
            self.writes[kind] += 1


class Writers:
    """Four kinds of them, over the same documents, and the seals."""

    def __init__(self, library: Library, seen: Seen) -> None:
        self._library, self._seen = library, seen
        self._stored = list(range(FIRST))
        self._next = FIRST

    def prepare(self) -> None:
        """Store the first documents, and seal them."""
        self._library.ingest(document(n, 0, readers=READERS[n % len(READERS)]) for n in self._stored)
        self._library.optimize()

    def loops(self) -> dict[str, Loop]:
        """By name."""
        return {
            "ingest": self._ingest,
            "relabel": self._relabel,
            "delete": self._delete,
            "ingest again": self._ingest_again,
            "optimize": self._optimize,
        }

    def _drawn(self, draw: random.Random, stop: threading.Event, *, take: bool = False) -> int | None:
        """The number of a document that is stored, or was a moment ago; taken out of them when there are enough."""
        stop.wait(0.01)
        with self._seen.lock:
            if take and len(self._stored) <= LEAST:
                return None
            at = draw.randrange(len(self._stored))
            return self._stored.pop(at) if take else self._stored[at]

    def _ingest(self, stop: threading.Event) -> None:
        draw = random.Random(1)
        while not stop.wait(0.05):
            if len(self._stored) < MOST:
                n, self._next = self._next, self._next + 1
                self._library.ingest([document(n, 0, readers=draw.choice(READERS), sensitivity=draw.choice(LABELS))])
                with self._seen.lock:
                    self._stored.append(n)
                self._seen.wrote("ingest")

    def _relabel(self, stop: threading.Event) -> None:
        draw = random.Random(2)
        while not stop.is_set():
            n = self._drawn(draw, stop)
            rights: dict[str, Any] = draw.choice(
                [{"readers": draw.choice(READERS)}, {"sensitivity": draw.choice(LABELS)}]
            )
            try:
                self._library.relabel(f"d{n}", **rights)
            except NotFound:
                continue
            self._seen.wrote("relabel")

    def _delete(self, stop: threading.Event) -> None:
        draw = random.Random(3)
        while not stop.is_set():
            n = self._drawn(draw, stop, take=True)
            if n is not None and self._library.delete(f"d{n}"):
                self._seen.wrote("delete")

    def _ingest_again(self, stop: threading.Event) -> None:
        """New texts under rights that are kept; one that was deleted a moment ago is back, until it is deleted."""
        draw, edition = random.Random(4), 0
        while not stop.is_set():
            n, edition = self._drawn(draw, stop), edition + 1
            assert n is not None
            self._library.ingest([document(n, edition, keep={"readers", "sensitivity"})])
            with self._seen.lock:
                if n not in self._stored:
                    self._stored.append(n)
            self._seen.wrote("ingest again")

    def _optimize(self, stop: threading.Event) -> None:
        while not stop.wait(0.2):
            self._library.optimize()
            self._seen.wrote("optimize")


class Snapshots:
    """Readers, each on a connection of its own, with the owner in the same snapshot to count it anew."""

    def __init__(self, database: Database, spine: RagSpine, seen: Seen) -> None:
        self._database, self._spine, self._seen = database, spine, seen
        self._bags: dict[str, Bag] = {}

    def loops(self, number: int) -> dict[str, Loop]:
        """So many readers."""
        return {f"reader {n}": partial(self._read, random.Random(10 + n)) for n in range(number)}

    def _read(self, draw: random.Random, stop: threading.Event) -> None:
        with (
            psycopg.connect(self._database.owner_url, autocommit=True) as owner,
            psycopg.connect(self._database.reader_url, autocommit=True) as reader,
        ):
            while not stop.is_set():
                before = self._seen.writes.total()
                with in_one_snapshot(owner, reader):
                    self._look(owner, reader, draw)
                with self._seen.lock:
                    self._seen.overlapped += self._seen.writes.total() > before

    def _look(self, owner: psycopg.Connection[Any], reader: psycopg.Connection[Any], draw: random.Random) -> None:
        access = draw.choice(CALLERS)
        chunks, half = self._readable(owner, access)
        layout = owner.execute(_LAYOUT, [TENANT]).fetchall()
        reader.execute("SELECT ragspine.assume(%s)", [self._spine.grant(access)])
        hits = searches = 0
        for _ in range(6):
            query = " ".join(draw.choices(WORDS, cum_weights=WEIGHTS, k=draw.randint(1, 5)))
            k, narrowed = draw.choice([1, 10, 100]), draw.random() < 0.3
            asked = [query, k, [LIBRARY], HALF.to_json() if narrowed else None]
            found = [Ranked(*row) for row in reader.execute(_ASK, asked)]
            scores = score_all(Counter(query.split()), chunks, pivot=PIVOT)
            assert_as_counted(found, {id: of for id, of in scores.items() if id in half} if narrowed else scores, k)
            hits, searches = hits + len(found), searches + 1
        with self._seen.lock:
            self._seen.hits += hits
            self._seen.searches += searches
            self._seen.layered += any(len(runs) > 1 < count and tail > 0 for _, runs, count, tail in layout)
            self._seen.layouts |= {(number, tuple(runs)) for number, runs, _, _ in layout}

    def _readable(self, owner: psycopg.Connection[Any], access: Access) -> tuple[dict[str, Bag], set[str]]:
        """What may be read by the rule, in words: the chunks, and which of them pass ``HALF``."""
        chunks: dict[str, Bag] = {}
        half: set[str] = set()
        for _, n, label, members, readers, stored in owner.execute(_CHUNKS, [TENANT]):
            if label != "RESTRICTED" and (members or access.principals & set(readers)):
                for chunk_id, text in stored:
                    chunks[chunk_id] = self._bags.get(text) or self._bags.setdefault(text, Counter(text.split()))
                if n < 50:
                    half |= {chunk_id for chunk_id, _ in stored}
        return chunks, half


def assert_as_counted(found: Sequence[Ranked[str]], scores: Mapping[str, float], k: int) -> None:
    """The k best of ``scores``, each once and with its score, equal ones by chunk id."""
    assert_same_ranking(found, scores, k, 1e-6)
    assert all(one.score > other.score or one.id < other.id for one, other in pairwise(found))
