"""bm25s: BM25 in this process's memory, over the lexemes that the database makes of the same texts."""

from collections.abc import Mapping, Sequence

import bm25s
import numpy

from benchmarks.lexical.contest.ours import Ours
from benchmarks.lexical.contest.turns import Contestant, Stopwatch
from tests.peers.oracle import Ranked, assert_same_ranking

TOLERANCE = 1e-5  # it computes in float32 throughout
_LOT = 2000


class Lexemes:
    """The lexemes of all texts as numbers, each as often as it occurs: analysed once, before anything is built."""

    def __init__(self, texts: Sequence[str], ours: Ours, watch: Stopwatch) -> None:
        self.vocabulary: dict[str, int] = {}
        self.chunks: list[list[int]] = [[] for _ in texts]
        self.postings = 0
        with watch.part("analysis alone, and its lexemes fetched"):
            for first in range(0, len(texts), _LOT):
                lot = texts[first : first + _LOT]
                names = [str(n) for n in range(first, first + len(lot))]
                for name, lexemes, frequencies in ours.analysed(names, list(lot)):
                    self.postings += len(lexemes)
                    self.chunks[int(name)] = [
                        self.vocabulary.setdefault(lexeme, len(self.vocabulary))
                        for lexeme, times in zip(lexemes, frequencies, strict=True)
                        for _ in range(times)
                    ]
                if first // _LOT % 25 == 24:
                    print(f"      analysed: {first + len(lot):,} of {len(texts):,}", flush=True)

    @property
    def mean_length(self) -> float:
        """Lexemes of a chunk, on average."""
        return sum(map(len, self.chunks)) / len(self.chunks)


class InMemory:
    """The model; queries are analysed beforehand, which is not in its times."""

    def __init__(self, lexemes: Lexemes, watch: Stopwatch) -> None:
        self._model = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._size = len(lexemes.chunks)
        with watch.part("bm25s: index"):
            self._model.index((lexemes.chunks, dict(lexemes.vocabulary)), show_progress=False)
        self._asked: dict[str, list[str]] = {}

    def expect(self, asked: Mapping[str, list[str]]) -> None:
        """The lexemes of the queries to come."""
        for query, lexemes in asked.items():
            self._asked[query] = [lexeme for lexeme in lexemes if lexeme in self._model.vocab_dict]

    def contestant(self) -> Contestant:
        """It, ready to search."""
        return Contestant(
            "bm25s",
            f"{bm25s.__version__}, NumPy, in this process: no database, no rights; the query's analysis not counted",
            self._search,
        )

    def index_bytes(self) -> int:
        """The arrays of the index, in memory."""
        return sum(int(part.nbytes) for part in self._model.scores.values() if hasattr(part, "nbytes"))

    def assert_scores_as(self, ours: Ours, query: str, k: int) -> None:
        """Ours finds the k best by bm25s, with its scores up to float32's rounding; ties in either order."""
        found = [Ranked(int(name), score) for name, score in ours.answers(query, k)]
        lexemes = self._asked[query]
        scores = self._model.get_scores(lexemes) if lexemes else numpy.zeros(self._size, dtype=numpy.float32)
        best = numpy.argpartition(-scores, min(k, self._size - 1))[:k]
        told = {int(at) for at in best} | {ranked.id for ranked in found}
        assert_same_ranking(found, {at: float(scores[at]) for at in told if scores[at] > 0}, k, TOLERANCE)

    def _search(self, query: str, k: int) -> int:
        lexemes = self._asked[query]
        if not lexemes:
            return 0
        return int(
            self._model.retrieve([lexemes], k=min(k, self._size), show_progress=False, n_threads=0).documents.size
        )
