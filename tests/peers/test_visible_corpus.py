"""The lexical leg is BM25 over exactly what a caller may read: small worlds of several classes, and two callers."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, Document
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant
from tests.peers.oracle import Bag, Ranked, assert_same_ranking, score_all
from tests.peers.shelf import Desk, open_desk

TOLERANCE = 1e-6
WORDS = ["apple", "pear", "plum", "fig", "quince", "medlar"]
TENANT = "worlds"
ANN, BOB = "user:ann", "user:bob"
_number = itertools.count(1)

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.lists(
    st.tuples(
        texts,
        st.one_of(st.just(""), texts),
        st.sampled_from([None, (), (ANN,), (BOB,), (ANN, BOB)]),
        st.sampled_from(["PUBLIC", "INTERNAL", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"]),
    ),
    min_size=1,
    max_size=14,
)
# Words nobody wrote and words said twice belong to a query.
queries = st.lists(st.sampled_from([*WORDS, "kiwi"]), min_size=1, max_size=6).map(" ".join)


@dataclass(frozen=True)
class Leg:
    """What ``lexical_leg_v1`` gave a caller, best first, by chunk id."""

    ranked: list[Ranked[str]]
    ranks: list[int]


class World:
    """A library of its own, written with the ingest login and searched with the reader's."""

    def __init__(self, desk: Desk, *, chunker: str = "whole", **profile: Any) -> None:
        self.desk = desk
        self.library = desk.spine.create_library(TENANT, f"world{next(_number)}", chunker=chunker, profile=profile)
        self.profile = profile
        self.visible_to: dict[str, frozenset[str]] = {}

    def ingest(self, documents: Sequence[Document]) -> None:
        self.library.ingest(documents)
        for document in documents:
            self._note(document.id, document.readers, document.sensitivity.value)

    def relabel(self, document_id: str, readers: Sequence[str] | None, sensitivity: str) -> None:
        self.library.relabel(document_id, readers=readers, sensitivity=sensitivity)
        self._note(document_id, readers, sensitivity)

    def delete(self, document_id: str) -> None:
        self.library.delete(document_id)
        del self.visible_to[document_id]

    def _note(self, document_id: str, readers: Any, sensitivity: str) -> None:
        names = frozenset({ANN, BOB}) if readers is None else frozenset(readers)
        self.visible_to[document_id] = frozenset() if sensitivity == "RESTRICTED" else names

    def visible_chunks(self, caller: str) -> dict[str, Bag]:
        """The lexemes of each chunk ``caller`` may read, by chunk id: who may read is worked out here, in Python."""
        rows = self.desk.owner.execute(
            """
            SELECT c.chunk_id, d.document_id, concat(d.title, E'\n', c.text)
              FROM ragspine.chunk AS c
              JOIN ragspine.document AS d USING (tenant_no, document_no)
              JOIN ragspine.library AS l USING (tenant_no, library_no)
             WHERE l.library_id = %s
            """,
            [self.library.library_id],
        )
        return self.desk.analysed({id: text for id, document, text in rows if caller in self.visible_to[document]})

    def leg(self, caller: str, query: str, k: int, min_score: float | None = None) -> Leg:
        with self.desk.reader.transaction():
            self.desk.reader.execute("SELECT ragspine.assume(%s)", [self.desk.spine.grant(Access(TENANT, {caller}))])
            rows = self.desk.reader.execute(
                """
                SELECT g.chunk_id, g.score, g.rank
                  FROM ragspine.readable_libraries_v1(ARRAY[%(library)s]) AS l
                 CROSS JOIN LATERAL ragspine.lexical_leg_v1(l.version_no, %(query)s, %(k)s, NULL, %(least)s) AS g
                 ORDER BY g.rank
                """,
                {"library": self.library.library_id, "query": query, "k": k, "least": min_score},
            ).fetchall()
        return Leg([Ranked(id, score) for id, score, _ in rows], [rank for *_, rank in rows])


def assert_ties_in_order(leg: Leg, alike: Mapping[str, object]) -> None:
    """Equal scores stand in the order of chunk ids; of chunks that BM25 cannot tell apart the first ids were taken."""
    found = [(-ranked.score, ranked.id) for ranked in leg.ranked]
    assert found == sorted(found)
    taken = {ranked.id for ranked in leg.ranked}
    groups: dict[object, list[str]] = {}
    for id in sorted(alike):
        groups.setdefault(alike[id], []).append(id)
    for ids in groups.values():
        number = len(taken & set(ids))
        assert taken & set(ids) == set(ids[:number])


def assert_exact(world: World, asked: Sequence[str], k: int) -> int:
    """The core: both callers get the k best of what they may read, with its scores and no others; how many in all."""
    seen = 0
    for caller in (ANN, BOB):
        chunks = world.visible_chunks(caller)
        for query in asked:
            words = world.desk.analysed({"": query})[""]
            expected, leg = score_all(words, chunks, **world.profile), world.leg(caller, query, k)
            assert_same_ranking(leg.ranked, expected, k, TOLERANCE)
            assert leg.ranks == list(range(1, len(leg.ranked) + 1))
            alike = {
                id: (sum(chunks[id].values()), tuple(chunks[id].get(word, 0) for word in words)) for id in expected
            }
            assert_ties_in_order(leg, alike)
            seen += len(leg.ranked)
    return seen


@settings(max_examples=25, deadline=None)
@given(
    documents,
    st.lists(queries, min_size=1, max_size=3),
    st.integers(1, 6),
    st.sampled_from([{}, {"k1": 0.9, "b": 0.4}, {"k1": 0.0}, {"b": 0.0}, {"b": 1.0}]),
    st.integers(1, 40),
    st.data(),
)
def test_scores_are_those_of_the_readable_corpus(
    desk: Desk,
    rows: list[tuple[str, str, tuple[str, ...] | None, str]],
    asked: list[str],
    k: int,
    profile: dict[str, Any],
    pivot: int,
    data: st.DataObject,
) -> None:
    world = World(desk, **profile, pivot=pivot)
    world.ingest([Document(f"d{n}", text, title=title, readers=readers, sensitivity=label)
                  for n, (text, title, readers, label) in enumerate(rows) if text or title])  # fmt: skip
    for document_id in sorted(world.visible_to):
        match data.draw(st.sampled_from(["keep", "keep", "keep", "delete", "relabel"])):
            case "delete":
                world.delete(document_id)
            case "relabel":
                world.relabel(document_id, (BOB,), "CONFIDENTIAL")
    assert_exact(world, asked, k)
    world.library.optimize()
    assert_exact(world, asked[:1], k)


def several_classes(desk: Desk) -> World:
    world = World(desk, pivot=8)
    readers: list[tuple[str, ...] | None] = [None, (ANN,), (BOB,), (ANN, BOB), ()]
    world.ingest(
        [
            Document(f"d{n}", " ".join(WORDS[m % 6] for m in range(n % 5, n % 7 + n % 5 + 1)), readers=readers[n % 5])
            for n in range(40)
        ]
    )
    return world


def test_two_callers_of_one_library_each_get_their_own_corpus(desk: Desk) -> None:
    world = several_classes(desk)
    assert assert_exact(world, ["apple", "plum fig plum", "kiwi quince"], 7) > 20
    scores = {caller: {ranked.score for ranked in world.leg(caller, "apple", 5).ranked} for caller in (ANN, BOB)}
    assert scores[ANN] != scores[BOB]


# What would leak: statistics of everything, hits of everything.
@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("weigh_terms_v1", "AND s.acl_class_no = ANY (classes)", ""),
        ("weigh_terms_v1", "AND c.acl_class_no = ANY (classes)", ""),
        (
            "caller_v1",
            " AND c.readers_sha256 = ragspine.readers_sha256_v1('{}', true)\n"
            "       AND c.sensitivity IN ('PUBLIC', 'INTERNAL', 'CONFIDENTIAL') AND c.open_to_members",
            "",
        ),
        ("caller_v1", "AND r.principal = ANY (granted.principals)", ""),
    ],
)
def test_two_callers_of_one_library_has_teeth(
    fresh_database: Database, plant: Plant, function: str, old: str, new: str
) -> None:
    with open_desk(fresh_database) as desk:
        world = several_classes(desk)
        assert_exact(world, ["apple", "plum fig plum"], 7)
        plant(function, (old, new))
        with pytest.raises(AssertionError):
            assert_exact(world, ["apple", "plum fig plum"], 7)


def test_a_word_said_twice_counts_twice(desk: Desk) -> None:
    world = several_classes(desk)
    once, twice = (world.leg(ANN, query, 100).ranked for query in ("apple", "apple Apple"))
    assert len(once) > 5
    assert [(ranked.id, 2 * ranked.score) for ranked in once] == [(ranked.id, ranked.score) for ranked in twice]


def many_alike(desk: Desk) -> World:
    world = World(desk, pivot=8)
    alike = [Document(f"alike{n}", "apple pear", readers=None if n % 2 else (ANN,)) for n in range(60)]
    hidden = [Document(f"hidden{n}", "apple pear", readers=()) for n in range(60)]
    world.ingest([*alike, *hidden, Document("best", "apple"), Document("worst", "apple fig fig fig fig fig")])
    return world


@pytest.mark.parametrize("k", [1, 10, 59, 60, 61, 1000])
def test_exact_ties_across_the_end_of_the_list_go_by_chunk_id(desk: Desk, k: int) -> None:
    world = many_alike(desk)
    chunks = world.visible_chunks(ANN)
    leg = world.leg(ANN, "apple", k)
    lengths = {id: sum(bag.values()) for id, bag in chunks.items()}
    assert [ranked.id for ranked in leg.ranked] == sorted(chunks, key=lambda id: (lengths[id], id))[:k]
    assert len(leg.ranked) == min(k, 62)
    assert assert_exact(world, ["apple", "pear apple"], k) > 0


def test_exact_ties_across_the_end_of_the_list_has_teeth(fresh_database: Database, plant: Plant) -> None:
    with open_desk(fresh_database) as desk:
        world = many_alike(desk)
        assert_exact(world, ["apple"], 10)
        # A candidate list that ends where k does, however many more have the same sum.
        plant(
            "select_candidates_v1",
            ("ELSE k + 16 END;", "ELSE k END;"),
            ("EXIT WHEN full_ IS NOT TRUE OR", "EXIT WHEN true OR"),
        )
        with pytest.raises(AssertionError):
            assert_exact(world, ["apple"], 10)


def test_min_score_keeps_what_reaches_it_exactly(desk: Desk) -> None:
    world = several_classes(desk)
    every = world.leg(ANN, "apple plum", 100).ranked
    assert len({ranked.score for ranked in every}) > 3
    for bound in sorted({ranked.score for ranked in every}):
        kept = world.leg(ANN, "apple plum", 100, bound).ranked
        assert kept == [ranked for ranked in every if ranked.score >= bound]
        assert kept[-1].score == bound
    assert world.leg(ANN, "apple plum", 100, every[0].score * (1 + 1e-12)).ranked == []
    assert world.leg(ANN, "apple plum", 100, -1.0).ranked == every


def test_the_facade_gives_the_scores_of_the_leg(desk: Desk) -> None:
    world = several_classes(desk)
    hits = world.library.search("plum fig plum", access=Access(TENANT, {ANN}), k=9).hits
    assert [Ranked(hit.chunk_id, hit.score) for hit in hits] == world.leg(ANN, "plum fig plum", 9).ranked
    assert [hit.scores["lexical"] for hit in hits] == [hit.score for hit in hits]


def test_chunks_are_counted_and_not_documents(desk: Desk) -> None:
    world = World(desk, chunker="default", pivot=8, chunker_options={"size": 30})
    world.profile = {"pivot": 8}
    long = "\n\n".join(f"{WORDS[n % 6]} {WORDS[n % 4]} {WORDS[n % 3]}" for n in range(24))
    world.ingest([Document("long", long, title="Plums"), Document("short", "apple", readers=(BOB,))])
    assert len(world.visible_chunks(ANN)) > 10
    assert assert_exact(world, ["apple", "plum fig"], 5) > 10
