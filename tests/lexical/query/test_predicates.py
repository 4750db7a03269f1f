"""What operators demand and score, against an oracle in Python, over random libraries and queries."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ragspine_pg import Access, Document, MetadataFilter, RagSpine
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant, open_spine, plant_function
from tests.lexical.query.world import LANGUAGES, PIVOT, World, draw_queries, draw_world

TENANT = "language"
CALLERS = [{"user:any"}, {"group:x"}, {"group:x", "group:y"}]


def build(spine: RagSpine) -> dict[str, World]:
    """A library in each language, some of whose documents are written anew, and some deleted."""
    worlds = {}
    for name, language in LANGUAGES.items():
        draw = random.Random(f"world {name}")
        first, world = draw_world(language, draw, 60), draw_world(language, draw, 60)
        shelf = spine.create_library(
            TENANT,
            name,
            analyzer=language.analyzer,
            chunker="whole",
            embedding="hashing",
            fields={"n": "number"},
            profile={"pivot": PIVOT},
        )
        shelf.ingest(list(first.documents.values()))
        shelf.ingest(list(world.documents.values())[:40])
        kept = list(world.documents)[:40] + list(first.documents)[40:]
        world.documents = {id: (world if n < 40 else first).documents[id] for n, id in enumerate(kept)}
        for id in draw.sample(kept, 6):
            assert shelf.delete(id)
            del world.documents[id]
        worlds[name] = world
    return worlds


@pytest.fixture(scope="module")
def built(database: Database) -> Iterator[tuple[RagSpine, dict[str, World]]]:
    with open_spine(database) as spine:
        yield spine, build(spine)


def check(built: tuple[RagSpine, dict[str, World]], number: int = 80) -> Counter[str]:
    """The core; what was seen: hits, queries without one, and clauses by kind."""
    spine, worlds = built
    seen: Counter[str] = Counter()
    for name, world in worlds.items():
        draw = random.Random(f"queries {name}")
        for clauses, query in draw_queries(world.language, draw, number):
            principals, least = draw.choice(CALLERS), draw.choice([0, 0, 20])
            asked: dict[str, Any] = {"access": Access(TENANT, principals), "libraries": name}
            if least:
                asked["metadata_filter"] = MetadataFilter.where("n", "gte", least)
            expected = world.find(clauses, principals, least=least)
            result = spine.search(query, k=100, mode="economy", **asked)
            found = {hit.document_id: hit.score for hit in result.hits}
            assert found.keys() == expected.keys(), (name, query, principals, least)
            assert found == pytest.approx(expected, rel=1e-6), (name, query)
            if not found:
                assert result.reason == world.reason(clauses, principals), (name, query, principals)
                seen[result.reason] += 1
            for k in (1, 3):
                page = spine.search(query, k=k, mode="economy", **asked)
                assert page.hits == result.hits[:k], (name, query, k)
            passing = world.passing(clauses, principals, least=least)
            for mode in ("vector", "hybrid"):
                hits = spine.search(query, k=100, mode=mode, **asked).hits
                assert {hit.document_id for hit in hits} == passing, (name, query, mode, principals)
            seen.update(f"{clause.occurs} {clause.kind}" for clause in clauses)
            seen["hits"] += len(found)
            seen["empty"] += not found
    return seen


def test_operators_demand_and_score_what_they_say(built: tuple[RagSpine, dict[str, World]]) -> None:
    seen = check(built)
    assert seen["hits"] > 1000
    assert min(seen[reason] for reason in ("no_match", "only_exclusions", "required_term_missing")) > 3
    assert min(seen[f"{o} {k}"] for o in ("may", "must", "not") for k in ("words", "phrase", "prefix")) > 10


@pytest.mark.usefixtures("eagerly_sealed")
def test_operators_mean_the_same_where_postings_are_read(fresh_spine: RagSpine, fresh_database: Database) -> None:
    worlds = build(fresh_spine)
    for name in worlds:
        fresh_spine.library(TENANT, name).optimize()
    with psycopg.connect(fresh_database.owner_url) as owner:
        (segments,) = owner.execute("SELECT count(*) FROM ragspine.posting_segment").fetchone() or (0,)
    assert segments >= 6
    assert check((fresh_spine, worlds), 50)["hits"] > 500


FAULTS = {
    "nothing is required": ("demand_conditions_v1", ("[%s]) < 0'", "[%s]) <= 0'")),
    "nothing is excluded": ("demand_conditions_v1", ("[%s]) >= 0'", "[%s]) < 1'")),
    "phrases stand anywhere": ("hold_phrases_v1", ("GROUP BY p.n, l.part, o.place - p.place", "GROUP BY p.n, l.part")),
    "phrases run over from the title": (
        "hold_phrases_v1",
        ("(VALUES (1, d.title), (2, c.text))", "(VALUES (1, d.title || ' ' || c.text))"),
    ),
    "barred phrases pass": ("hold_phrases_v1", (" AND f.forbidden = 0", "")),
    "each lexeme of a group weighs by itself": (
        "weigh_query_v1",
        ("max(m.chunk_count) OVER (PARTITION BY m.n)", "m.chunk_count"),
    ),
    "a group is of hidden words, too": ("find_prefixed_v1", (" AND s.acl_class_no = ANY (classes)", "")),
    "a vector leg without demands": ("vector_leg_v1", ("version_no, classes, query);", "version_no, classes, '');")),
    "the excluded scores": ("query_words_v1", ("FILTER (WHERE p.occurs <> 'not')", "")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_demanding_and_scoring_has_teeth(
    built: tuple[RagSpine, dict[str, World]], database: Database, vector_schema: str, fault: str
) -> None:
    name, edit = FAULTS[fault]
    plant_function(database, name, edit, vector_schema=vector_schema)
    try:
        with pytest.raises(AssertionError):
            check(built, 50)
    finally:
        plant_function(database, name, vector_schema=vector_schema)


DEEP = 1300


def deep(spine: RagSpine) -> None:
    """A phrase in three texts, behind many that score more and hold its words the other way round."""
    shelf = spine.create_library("deep", "shelf", chunker="whole", embedding="hashing", analyzer="simple")
    shelf.ingest([Document(f"d{n}", "elm oak" if n % 400 else "oak elm " + "ash " * 30) for n in range(1, DEEP)])


def check_depth(spine: RagSpine) -> None:
    """The core."""
    access = Access("deep", {"user:any"})
    for mode in ("economy", "vector", "hybrid"):
        for k, query in ((2, '"oak elm"'), (10, '"oak elm"'), (10, '-"elm oak" elm')):
            hits = spine.search(query, access=access, k=k, mode=mode).hits
            names = {hit.document_id for hit in hits}
            assert len(hits) == min(k, 3)
            assert names <= {"d400", "d800", "d1200"}


def test_a_phrase_is_found_behind_a_thousand_texts_without_it(fresh_spine: RagSpine) -> None:
    deep(fresh_spine)
    check_depth(fresh_spine)


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("hold_phrases_v1", ("next_ := next_ + lot;", "next_ := next_ + 40 * lot;")),
        ("select_candidates_v1", ("EXIT WHEN full_ IS NOT TRUE OR", "EXIT WHEN true OR")),
        ("vector_leg_v1", ("EXIT WHEN held.enough OR", "EXIT WHEN true OR")),
        (
            "hold_phrases_v1",
            ("enough := cardinality(kept_nos) >= k AND", "enough := true OR cardinality(kept_nos) >= k AND"),
        ),
    ],
)
def test_finding_behind_a_thousand_has_teeth(
    fresh_spine: RagSpine, plant: Plant, name: str, edit: tuple[str, str]
) -> None:
    deep(fresh_spine)
    plant(name, edit)
    with pytest.raises(AssertionError):
        check_depth(fresh_spine)
