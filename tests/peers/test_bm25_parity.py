"""Scores are those of BM25 as bm25s (``lucene``) and plain float64 compute it from the same lexemes."""

from collections.abc import Callable, Mapping, Sequence

import bm25s
import numpy
import pytest

from ragspine_pg import Document, RagSpine
from ragspine_pg.evaluation import evaluate, load_dataset
from ragspine_pg.evaluation.measures import measure
from tests.fixtures.database import Database
from tests.fixtures.spine import Plant
from tests.peers.oracle import Bag, Ranked, assert_same_ranking, score_all
from tests.peers.shelf import Desk, datasets, found, open_desk, own_documents, random_queries

Search = Callable[[str, int], list[Ranked[str]]]

ORACLE = 1e-6  # impacts are stored as float32, whose rounding is at most 6e-8 of each
BM25S = 1e-5  # bm25s computes in float32 throughout


class Peer:
    """bm25s over bags of lexemes, with the length pivot measured."""

    def __init__(self, chunks: Mapping[str, Bag]) -> None:
        self._ids = list(chunks)
        self._model = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._model.index([_tokens(bag) for bag in chunks.values()], show_progress=False)

    def scores(self, query: Bag) -> dict[str, float]:
        tokens = [token for token in _tokens(query) if token in self._model.vocab_dict]
        if not tokens:
            return {}
        scores = self._model.get_scores(tokens)
        return {self._ids[at]: float(scores[at]) for at in numpy.flatnonzero(scores)}


def _tokens(bag: Bag) -> list[str]:
    return [lexeme for lexeme, times in bag.items() for _ in range(times)]


def assert_parity(
    search: Search, chunks: Mapping[str, Bag], queries: Mapping[str, str], lexemes: Mapping[str, Bag], k: int = 10
) -> None:
    """The core: for every query the same k best and the same scores as both peers, and most queries find k."""
    peer, full = Peer(chunks), 0
    for name, query in queries.items():
        hits = search(query, k)
        assert_same_ranking(hits, score_all(lexemes[name], chunks), k, ORACLE)
        assert_same_ranking(hits, peer.scores(lexemes[name]), k, BM25S)
        full += len(hits) == k
    assert full > len(queries) / 2


def ingested(spine: RagSpine, name: str, documents: Sequence[Document]) -> Search:
    spine.create_library("peers", name, chunker="whole", profile={"pivot": "measured"}).ingest(documents)
    return lambda query, k: found(spine, name, query, k)


def bags(desk: Desk, documents: Sequence[Document]) -> dict[str, Bag]:
    texts = {document.id: f"{document.title}\n{document.text}" for document in documents}
    return desk.analysed({id: text for id, text in texts.items() if text.strip()})


def test_own_corpus_scores_as_the_peers_do(desk: Desk) -> None:
    documents = own_documents()
    queries = {f"q{n}": text for n, text in enumerate(random_queries(documents, 60))}
    chunks = bags(desk, documents)
    assert max(max(bag.values(), default=0) for bag in chunks.values()) >= 300
    assert_parity(ingested(desk.spine, "own", documents), chunks, queries, desk.analysed(queries))


def test_own_corpus_in_two_ingests_scores_as_in_one(desk: Desk) -> None:
    documents = own_documents(60, seed=3)
    search = ingested(desk.spine, "twice", documents[:20])
    desk.spine.library("peers", "twice").ingest(documents[10:])  # the mean length moves, and with it every impact
    queries = {f"q{n}": text for n, text in enumerate(random_queries(documents, 20))}
    assert_parity(search, bags(desk, documents), queries, desk.analysed(queries))


# What somebody could write in good faith: other smoothing, another BM25, a lexeme counted once, sums in float32.
@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("weigh_terms_v1", "- t.chunk_count + 0.5)", "- t.chunk_count)"),
        ("weigh_terms_v1", "ln(1 + (", "ln(("),
        ("weigh_terms_v1", "SELECT t.lexeme, t.lexeme_no, t.frequency,", "SELECT t.lexeme, t.lexeme_no, 1,"),
        ("lexical_leg_v1", "LIMIT k;", "LIMIT k - 1;"),
        ("lexical_leg_v1", "ORDER BY s.score DESC, s.chunk_id", "ORDER BY s.score, s.chunk_id"),
    ],
)
def test_own_corpus_scores_as_the_peers_do_has_teeth(
    fresh_database: Database, plant: Plant, function: str, old: str, new: str
) -> None:
    documents = own_documents(40)
    queries = {f"q{n}": text for n, text in enumerate(random_queries(documents, 20))}
    with open_desk(fresh_database) as desk:
        search = ingested(desk.spine, "own", documents)
        chunks, lexemes = bags(desk, documents), desk.analysed(queries)
        assert_parity(search, chunks, queries, lexemes)
        plant(function, (old, new))
        with pytest.raises(AssertionError):
            assert_parity(search, chunks, queries, lexemes)


def test_cranfield_scores_and_figures_are_those_of_the_peers(desk: Desk) -> None:
    dataset = load_dataset(datasets() / "cranfield")
    documents = list(dataset.documents())
    search = ingested(desk.spine, "cranfield", documents)
    texts = {case.query_id: case.text for case in dataset.cases}
    chunks, lexemes = bags(desk, documents), desk.analysed(texts)
    drawn = {f"r{n}": text for n, text in enumerate(random_queries(documents, 130))}
    some = dict(list(texts.items())[::3])
    assert len(drawn) + len(some) >= 200
    assert_parity(search, chunks, {**some, **drawn}, {**lexemes, **desk.analysed(drawn)})

    report = evaluate(desk.spine, dataset, library=desk.spine.library("peers", "cranfield"))
    peer = Peer(chunks)
    rankings = {
        name: [id for id, _ in sorted(peer.scores(bag).items(), key=lambda item: -item[1])[:100]]
        for name, bag in lexemes.items()
    }
    values = measure(dataset.cases, rankings)
    for name in ("nDCG@10", "R@100"):
        expected = sum(of[name] for of in values.values()) / len(values)
        assert report.metrics[name] == pytest.approx(expected, abs=0.0005)
