"""What explain tells of a query and its hits: clauses, demands, and what adds up to the score, to the last bit."""

import random
from functools import reduce
from operator import add

import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.contract.result import SearchResult
from tests.fixtures.spine import Plant
from tests.lexical.query.world import LANGUAGES, PIVOT, draw_queries, draw_world

ME = Access("explained", {"group:x"})


def fill(spine: RagSpine) -> None:
    for name, language in LANGUAGES.items():
        world = draw_world(language, random.Random(f"explained {name}"), 50)
        options = {"embedding": "hashing", "profile": {"pivot": PIVOT}}
        shelf = spine.create_library(ME.tenant, name, analyzer=language.analyzer, chunker="whole", **options)  # type: ignore[arg-type]
        shelf.ingest(list(world.documents.values()))


def added_up(result: SearchResult) -> int:
    """The core: what the terms of each hit add is its score; how many had several."""
    assert result.trace is not None
    several = 0
    for hit in result.hits:
        library = result.trace["libraries"][hit.library_id]
        shares = library["contributions"].get(hit.chunk_id, [])
        terms = {term["lexeme"]: term for term in library["terms"]}
        assert [share["lexeme"] for share in shares] == sorted(share["lexeme"] for share in shares)
        for share in shares:
            term = terms[share["lexeme"]]
            assert (share["frequency"], share["idf"]) == (term["frequency"], term["idf"])
            assert share["contribution"] == share["frequency"] * share["idf"] * share["impact"] > 0
        if "lexical" in hit.scores:
            assert reduce(add, (share["contribution"] for share in shares), 0.0) == hit.scores["lexical"]
        several += len(shares) > 1
    return several


def check(spine: RagSpine) -> int:
    several = 0
    for name, language in LANGUAGES.items():
        for n, (_, query) in enumerate(draw_queries(language, random.Random(f"asked {name}"), 15)):
            mode = ("economy", "hybrid", "vector")[n % 3]
            several += added_up(spine.search(query, access=ME, libraries=name, k=5, mode=mode, explain=True))
    return several


def test_what_the_terms_add_is_the_score_to_the_last_bit(fresh_spine: RagSpine) -> None:
    fill(fresh_spine)
    assert check(fresh_spine) > 12


@pytest.mark.parametrize(
    "edit",
    [
        ("t.frequency * t.idf * i.impact\n", "t.idf * i.impact\n"),
        ('t.lexeme COLLATE "C";', "t.idf;"),
        (
            "SELECT -(x.impacts OPERATOR(@vector@.<#>) t.unit)",
            "SELECT 0.999 * -(x.impacts OPERATOR(@vector@.<#>) t.unit)",
        ),
    ],
)
def test_adding_up_has_teeth(fresh_spine: RagSpine, plant: Plant, edit: tuple[str, str]) -> None:
    fill(fresh_spine)
    plant("explain_scores_v1", edit)
    with pytest.raises(AssertionError):
        check(fresh_spine)


def test_the_query_is_told_as_it_was_read(fresh_spine: RagSpine) -> None:
    shelf = fresh_spine.create_library(ME.tenant, "one", chunker="whole")
    shelf.ingest([Document("a", "late delivery of parcels"), Document("b", "refunds", readers=())])
    result = shelf.search('"late deliveries" parc* -refunds the', access=ME, explain=True)
    assert result.trace is not None
    told = result.trace["libraries"]["one"]
    assert told["clauses"] == [
        {"occurs": "may", "kind": "phrase", "text": "late deliveries", "lexemes": ["deliveri", "late"]},
        {"occurs": "may", "kind": "prefix", "text": "parc", "lexemes": ["parc"]},
        {"occurs": "not", "kind": "words", "text": "refunds", "lexemes": ["refund"]},
        {"occurs": "may", "kind": "words", "text": "the", "lexemes": []},
    ]
    assert told["unmet"] is None
    assert [term["lexeme"] for term in told["terms"]] == ["deliveri", "late", "parcel"]
    for query, unmet in (("+refunds late", "required_term_missing"), ("-late", "only_exclusions"), ("late", None)):
        trace = shelf.search(query, access=ME, explain=True).trace
        assert trace is not None
        assert trace["libraries"]["one"]["unmet"] == unmet


def test_a_document_is_explained_by_what_its_words_add_or_by_the_demand_it_fails(fresh_spine: RagSpine) -> None:
    shelf = fresh_spine.create_library(ME.tenant, "one", chunker="whole", embedding="hashing")
    shelf.ingest(
        [Document("a", "late delivery"), Document("b", "late late parcel"), Document("c", "a delivery, too late")]
    )
    near = shelf.explain("late delivery", access=ME, document_id="b", k=1, mode="economy")
    assert near.verdict == "below_k"
    assert near.gap is not None
    assert reduce(add, (share["contribution"] for share in near.contributions)) == near.score
    for mode in ("economy", "vector"):
        failed = shelf.explain('"late delivery"', access=ME, document_id="c", mode=mode)
        assert (failed.verdict, failed.contributions) == ("demands_unmet", ())
        assert shelf.explain('"late delivery"', access=ME, document_id="a", mode=mode).verdict == "hit"
