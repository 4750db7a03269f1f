"""A corpus with rights, labels and metadata drawn at random, and what each caller's searches of it must come to.

What is expected is worked out in Python from the documents as they were written and the texts of the stored chunks, by
the exact indexes in memory. It shares no code with the legs, the filters in SQL or the fusion.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import psycopg

from ragspine_pg import (
    Access,
    Deadline,
    Distance,
    Document,
    Embedded,
    EmbeddingSpace,
    EmbeddingTask,
    InMemoryLexicalIndex,
    InMemoryVectorIndex,
    MetadataFilter,
    RagSpine,
    SearchResult,
    Usage,
)
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.space import embedding_text
from tests.fixtures.database import Database

TENANT, LIBRARY = "oracle", "shelf"
STAFF = Access(TENANT, {"user:ann", "group:staff"})
FINANCE = Access(TENANT, {"group:finance"})
MEMBER = Access(TENANT, {"user:eve"})
CALLERS = (STAFF, FINANCE, MEMBER)
PIVOT = 12.0

_TEXT = """
return order refund delivery parcel invoice price warranty repair winter tent stove boot glove rope axe map lamp
customer staff desk policy month week damaged late cheap heavy light warm cold wet dry large small
"""
_WORDS = _TEXT.split()
QUERIES = ("late delivery of a damaged parcel", "warm boot", "refund refund price", "rope", "winter tents and stoves")


class DrawnModel:
    """Draws a text's vector from its hash: no meaning, no two alike by chance, and lengths that differ."""

    name = "drawn"
    remote = False

    def __init__(self, distance: Distance) -> None:
        self.options: Mapping[str, Any] = {}
        self.space = EmbeddingSpace("test", self.name, "1", 16, distance, normalised=False)

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text, the same for both tasks."""
        draws = [random.Random(text) for text in texts]
        return Embedded([[draw.gauss(0, 1) for _ in range(16)] for draw in draws], Usage(items=len(texts), calls=1))


def corpus(number: int = 150, seed: int = 5) -> list[Document]:
    """Documents of one to three paragraphs; of all readers and labels, every ninth a copy of the one before."""
    draw = random.Random(seed)
    found: list[Document] = []
    for n in range(number):
        paragraphs = [" ".join(draw.choices(_WORDS, k=draw.randint(6, 16))).capitalize() + "." for _ in range(3)]
        drawn = Document(
            f"d{n}",
            "\n\n".join(paragraphs[: draw.randint(1, 3)]),
            title=" ".join(draw.choices(_WORDS, k=2)).title() if n % 3 else "",
            metadata={"n": n, "kind": draw.choice(["note", "letter", "form"])},
            readers=draw.choice([None, None, {"group:staff"}, {"group:finance"}, {"user:eve"}, set()]),
            sensitivity=draw.choice(["PUBLIC", "INTERNAL", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"]),
        )
        found.append(replace(found[-1], id=drawn.id, metadata=drawn.metadata) if n % 9 == 8 else drawn)
    return found


def may_read(access: Access, document: Document) -> bool:
    """The rule, in words: nobody reads what is RESTRICTED; else every member, or whom the readers name."""
    if document.sensitivity is Sensitivity.RESTRICTED:
        return False
    return document.readers is None or bool(document.readers & access.principals)


def build(spine: RagSpine, model: DrawnModel) -> None:
    """The corpus in a library, in chunks of at most 90 code points."""
    spine.create_library(
        TENANT,
        LIBRARY,
        embedding=model,
        fields={"n": "number"},
        profile={"pivot": PIVOT, "chunker_options": {"size": 90}},
    ).ingest(corpus())


FILTERS: dict[str, MetadataFilter | None] = {
    "everything": None,
    "half of it": MetadataFilter.where("n", "lt", 75),
    "a few": MetadataFilter.all_of(
        MetadataFilter.where("n", "between", [10, 30]), MetadataFilter.where("kind", "ne", "form")
    ),
    "nothing": MetadataFilter.where("kind", "eq", "song"),
}
_TESTS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "everything": lambda metadata: True,
    "half of it": lambda metadata: metadata["n"] < 75,
    "a few": lambda metadata: 10 <= metadata["n"] <= 30 and metadata["kind"] != "form",
    "nothing": lambda metadata: False,
}


@dataclass(frozen=True)
class Oracle:
    """What a caller's searches find."""

    lexical: InMemoryLexicalIndex
    vector: InMemoryVectorIndex
    passing: Mapping[str, frozenset[str]]
    bags: Mapping[str, Mapping[str, int]]

    def expect(self, query: str, mode: str, narrowed: str) -> list[tuple[str, float]]:
        """All chunk ids with their scores, best first, for a query and the name of a filter."""
        among = self.passing[narrowed]
        deep = 100 if mode == "hybrid, rrf" else 1000
        lexical = self.lexical.search(self.bags[query], deep, among=among)
        vector = self.vector.search(query, deep, among=among)
        if mode == "economy":
            return lexical
        if mode == "vector":
            return vector
        parts = [_by_rank(lexical), _by_rank(vector)] if deep == 100 else [_spread(lexical), _spread(vector)]
        best = {
            name: min(rank for ranks in (_ranks(lexical), _ranks(vector)) if (rank := ranks.get(name)) is not None)
            for part in parts
            for name in part
        }
        scores = {name: sum(part.get(name, 0.0) for part in parts) for name in best}
        return sorted(scores.items(), key=lambda item: (-item[1], best[item[0]], item[0]))

    def scores(self, query: str) -> dict[str, dict[str, float]]:
        """Each leg's score of each chunk, up to 1,000 of them."""
        return {
            "lexical": dict(self.lexical.search(self.bags[query], 1000)),
            "vector": dict(self.vector.search(query, 1000)),
        }


def _ranks(ranking: Sequence[tuple[str, float]]) -> dict[str, int]:
    return {name: rank for rank, (name, _) in enumerate(ranking, start=1)}


def _by_rank(ranking: Sequence[tuple[str, float]]) -> dict[str, float]:
    return {name: 1 / (60 + rank) for name, rank in _ranks(ranking).items()}


def _spread(ranking: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Half of each score's place between the least and the most: two legs weigh the same."""
    values = [score for _, score in ranking]
    if not values or min(values) == max(values):
        return {name: 0.5 for name, _ in ranking}
    return {name: 0.5 * ((score - min(values)) / (max(values) - min(values))) for name, score in ranking}


def oracles(database: Database, model: DrawnModel) -> dict[Access, Oracle]:
    """An oracle for each caller, from the chunks as they are stored and the lexemes that SQL makes of texts."""
    documents = {document.id: document for document in corpus()}
    with psycopg.connect(database.owner_url) as connection:
        rows: list[tuple[str, str, str, str]] = connection.execute(
            "SELECT c.chunk_id, d.document_id, d.title, c.text FROM ragspine.chunk AS c"
            " JOIN ragspine.document AS d USING (tenant_no, document_no)"
        ).fetchall()

        def bag(text: str) -> dict[str, int]:
            found = connection.execute("SELECT lexeme, frequency FROM ragspine.analyze_v1(%s, 'english')", [text])
            return dict(found.fetchall())

        bags = {chunk: bag(f"{title}\n{text}") for chunk, _, title, text in rows}
        asked = {query: bag(query) for query in QUERIES}
    made = {}
    for access in CALLERS:
        mine = {chunk: (documents[name], title, text) for chunk, name, title, text in rows}
        mine = {chunk: of for chunk, of in mine.items() if may_read(access, of[0])}
        made[access] = Oracle(
            InMemoryLexicalIndex({chunk: bags[chunk] for chunk in mine}, pivot=PIVOT),
            InMemoryVectorIndex.build(
                model, {chunk: embedding_text(title, text) for chunk, (_, title, text) in mine.items()}
            ),
            {
                name: frozenset(chunk for chunk, (document, _, _) in mine.items() if test(document.metadata))
                for name, test in _TESTS.items()
            },
            asked,
        )
    return made


def assert_agrees(result: SearchResult, expected: Sequence[tuple[str, float]], k: int, tolerance: float = 2e-6) -> None:
    """``result`` is the k best of ``expected``: each with its score, in an order that ``tolerance`` allows."""
    found = [(hit.chunk_id, hit.score) for hit in result.hits]
    assert len(found) == min(k, len(expected)), f"{len(found)} hits instead of {min(k, len(expected))}"
    assert len(dict(found)) == len(found), "a chunk comes twice"
    scores = dict(expected)
    for rank, ((name, score), (_, best)) in enumerate(zip(found, expected, strict=False), start=1):
        assert name in scores, f"rank {rank} is nothing that qualifies"
        assert abs(score - scores[name]) <= tolerance, f"rank {rank} has score {score}, not {scores[name]}"
        assert abs(best - scores[name]) <= tolerance, f"rank {rank} belongs to a chunk of score {best}"
    same = [name for name, _ in found] == [name for name, _ in expected][: len(found)]
    near = any(0 < abs(one[1] - other[1]) <= tolerance for one, other in pairwise(expected))
    assert same or near, "equal scores come by chunk id"
