"""Operators under analyzers with options, under `multilingual`, and under a list of them."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_pg import Access, Document, RagSpine
from tests.fixtures.database import Database
from tests.fixtures.spine import open_spine, plant_function

ACCESS = Access("operators", {"user:any"})
LIST = "english+code,italian+fold,cjk"
SHELVES: dict[str, list[Document]] = {
    "english+code": [
        Document("tool", "Run pg_dump with an option, not pg_restore."),
        Document("apart", "A pg can dump the running water."),
        Document("path", "Look at /usr/bin/pg_dump.c first"),
        Document("cpp", "Written in C++ by two of them"),
        Document("c", "Written in C by two of them"),
        Document("camel", "Call getUserName here"),
    ],
    "german+fold": [
        Document("house", "Ein Pfad für Häuser"),
        Document("plain", "Ein Pfad Hauser"),
        Document("across", "Über Straßen gehen"),
    ],
    "multilingual": [
        Document("one", "Le case della città"),
        Document("other", "La casa e il cane"),
        Document("han", "本系统支持外币汇率换算功能"),
    ],
    LIST: [
        Document("en", "The houses are running in the rain with pg_dump", language="en"),
        Document("en2", "A cat or a dog", language="en"),
        Document("it", "Le case della città, the running casa", language="it"),
        Document("it2", "Un gatto perché no", language="it"),
        Document("zh", "系统部署说明", language="zh"),
    ],
}
CASES: list[tuple[str, str, set[str]]] = [
    ("english+code", "+pg_dump", {"tool", "path"}),
    ("english+code", "pg_dump", {"tool", "path", "apart"}),
    ("english+code", "pg -pg_dump", {"apart"}),
    ("english+code", '"pg_dump with an option"', {"tool"}),
    ("english+code", "+C++ written", {"cpp"}),
    ("english+code", "written -C++", {"c"}),
    ("english+code", "written -C", set()),
    ("english+code", "+getusername", {"camel"}),
    ("english+code", "+getUserName", {"camel"}),
    ("english+code", "+running", {"tool", "apart"}),
    ("english+code", "pg_*", {"tool", "path", "apart"}),
    ("english+code", "pg*", {"tool", "path", "apart"}),
    ("german+fold", "+Hauser", {"house", "plain"}),
    ("german+fold", "+Häuser -plain", {"house", "plain"}),
    ("german+fold", '"Pfad für Häuser"', {"house"}),
    ("german+fold", '"Pfad fur Hauser"', {"house"}),
    ("german+fold", '"Pfad Hauser"', {"plain"}),
    ("german+fold", "+über +Strasse", {"across"}),
    ("german+fold", "straß*", {"across"}),
    ("german+fold", "häu*", {"house", "plain"}),
    ("german+fold", "Pfad -häuser*", set()),
    ("multilingual", "+case", {"one"}),
    ("multilingual", "case", {"one"}),
    ("multilingual", "caselle", {"one"}),
    ("multilingual", "+caselle", set()),
    ("multilingual", '"della citta"', {"one"}),
    ("multilingual", '"citta della"', set()),
    ("multilingual", "cas*", {"one", "other"}),
    ("multilingual", "città*", {"one"}),
    ("multilingual", "+外币汇率", {"han"}),
    ("multilingual", "casa -cane", set()),
    (LIST, "+running", {"en", "it"}),
    (LIST, "+houses", {"en"}),
    (LIST, "+casa", {"it"}),
    (LIST, '"the houses"', {"en"}),
    (LIST, '"the running"', {"en", "it"}),
    (LIST, '"are running in the rain"', {"en"}),
    (LIST, "+the case", {"it"}),
    (LIST, "+the running", {"en", "it"}),
    (LIST, "cat -the", {"en2"}),
    (LIST, '"le case"', {"it"}),
    (LIST, "+pg_dump", {"en"}),
    (LIST, "rain -pg_dump", set()),
    (LIST, "+citta", {"it"}),
    (LIST, "+部署", {"zh"}),
    (LIST, "+系统部署", {"zh"}),
    (LIST, '"署部"', set()),
    (LIST, "gatt*", {"it2"}),
    (LIST, "città*", {"it"}),
    (LIST, "cas* -casa", set()),
]


@pytest.fixture(scope="module")
def filled(database: Database) -> Iterator[RagSpine]:
    with open_spine(database) as spine:
        for analyzer, documents in SHELVES.items():
            shelf = spine.create_library("operators", analyzer, analyzer=analyzer, chunker="whole")
            assert shelf.ingest(documents).added == len(documents)
        yield spine


def found(spine: RagSpine, analyzer: str, query: str) -> set[str]:
    hits = spine.search(query, access=ACCESS, libraries=analyzer, mode="economy").hits
    return {hit.document_id for hit in hits}


def check(spine: RagSpine) -> None:
    """The core."""
    wrong = [
        (analyzer, query, was)
        for analyzer, query, expected in CASES
        if (was := found(spine, analyzer, query)) != expected
    ]
    assert wrong == []


def test_operators_demand_what_the_analyzer_makes_of_them(filled: RagSpine) -> None:
    check(filled)


FAULTS = {
    "an identifier is its words": ("demanded_lexemes_v1", ("IF whole IS NOT NULL", "IF false")),
    "phrases by the first analyzer": (
        "hold_phrases_v1",
        ("ragspine.document_analyzer_v1(analyzer, d.language)", "split_part(analyzer, ',', 1)"),
    ),
    "a stop word leaves no place": ("place_lexemes_v1", ("stop_words, no_word, 'gi'", "stop_words, ' ', 'gi'")),
    "a prefix keeps its accents": (
        "find_prefixed_v1",
        ("CASE WHEN p.fold THEN ragspine.fold_accents_v1(word) ELSE word END", "word"),
    ),
    "silence is no demand": ("read_demands_v1", ("IF demand.silent THEN", "IF false THEN")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_demanding_under_analyzers_has_teeth(
    filled: RagSpine, database: Database, vector_schema: str, fault: str
) -> None:
    name, edit = FAULTS[fault]
    plant_function(database, name, edit, vector_schema=vector_schema)
    try:
        with pytest.raises(AssertionError):
            check(filled)
    finally:
        plant_function(database, name, vector_schema=vector_schema)


@pytest.fixture(scope="module")
def owner(database: Database) -> Any:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        yield connection


TEXTS = st.lists(
    st.sampled_from(
        ["für", "Über", "fur", "Häuser", "the", "le", "perché", "部署", "go部署", "x_1", "C++", "été", "a", ",", "１２"]
    ),
    max_size=12,
).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, analyzer=st.sampled_from(["simple", "english+fold", "german+fold", "french+fold", "cjk+fold"]))
@pytest.mark.parametrize("times", [1, 300])
def test_places_are_as_many_as_analysis_counts(owner: Any, text: str, analyzer: str, times: int) -> None:
    """Beyond tsvector's caps, too."""
    text = " ".join([text] * times)
    counted = owner.execute("SELECT * FROM ragspine.analyze(%s, %s)", [text, analyzer]).fetchall()
    placed = owner.execute(
        "SELECT lexeme, cardinality(places) FROM ragspine.place_lexemes_v1(%s, %s)", [text, analyzer]
    ).fetchall()
    assert dict(placed) == dict(counted)
