"""Small exact indexes in memory: what the legs in the database are held against, and what users may test with.

No access, no filters, no storage: an id, and a vector or lexemes. They share no code with the legs.
"""

from array import array
from collections.abc import Collection, Mapping, Sequence
from math import fsum, isfinite, log, sqrt
from operator import mul
from typing import Final

from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.space import Distance
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.errors import ConfigurationError, QueryError

__all__ = ["InMemoryLexicalIndex", "InMemoryVectorIndex"]

_MAX_K: Final = 1000


class InMemoryVectorIndex:
    """Exact search over ``vectors`` by id, in float64 over float32 numbers, as pgvector stores them.

    ``score`` as the vector leg has it: cosine similarity, inner product, or 1 / (1 + Euclidean distance); larger is
    nearer, ties by id in code-point order. It does not change once made. Raises ``ConfigurationError`` for vectors that
    are empty, of several lengths, not finite, or zero.
    """

    def __init__(self, vectors: Mapping[str, Sequence[float]], *, distance: Distance | str = Distance.COSINE) -> None:
        self._distance = Distance(distance)
        self._vectors = {name: array("f", vector) for name, vector in vectors.items()}
        self._model: EmbeddingModel | None = None
        self.usage = Usage()
        """What embedding the texts cost, where ``build`` did."""
        lengths = {len(vector) for vector in self._vectors.values()}
        if len(lengths) > 1 or 0 in lengths:
            raise ConfigurationError("vectors are of one length, and not empty")
        for name, vector in self._vectors.items():
            if not all(map(isfinite, vector)) or not any(vector):
                raise ConfigurationError("vectors are finite and not zero", id=name)

    @classmethod
    def build(cls, model: EmbeddingModel, texts: Mapping[str, str]) -> "InMemoryVectorIndex":
        """The index of ``texts`` by id, embedded as documents; it can be searched by text. Raises as the model does."""
        embedded = embed_checked(model, list(texts.values()), EmbeddingTask.RETRIEVAL_DOCUMENT, labels=list(texts))
        made = cls(dict(zip(texts, embedded.vectors, strict=True)), distance=model.space.distance)
        made._model, made.usage = model, embedded.usage
        return made

    def search(
        self,
        query: str | Sequence[float],
        k: int = 10,
        *,
        among: Collection[str] | None = None,
        min_score: float | None = None,
    ) -> list[tuple[str, float]]:
        """The ``k`` nearest ids with their scores, best first, of those in ``among`` (None: of all).

        Raises ``QueryError`` for a vector of another length or a k that is not 1 to 1,000, ``ConfigurationError`` for a
        text where no model was given.
        """
        _check_k(k)
        if isinstance(query, str):
            if self._model is None:
                raise ConfigurationError("an index of bare vectors is searched by vectors")
            query = embed_checked(self._model, [query], EmbeddingTask.RETRIEVAL_QUERY).vectors[0]
        asked = array("f", query)
        if not all(map(isfinite, asked)) or not any(asked):
            raise QueryError("the query's vector is finite and not zero", argument="query")
        if any(len(asked) != len(vector) for vector in self._vectors.values()):
            raise QueryError("the query's vector has another length", argument="query")
        scores = {
            name: self._score(asked, vector) for name, vector in self._vectors.items() if among is None or name in among
        }
        return _best(scores, k, min_score)

    def _score(self, one: Sequence[float], other: Sequence[float]) -> float:
        if self._distance is Distance.L2:
            return 1 / (1 + sqrt(fsum((x - y) ** 2 for x, y in zip(one, other, strict=True))))
        product = fsum(map(mul, one, other))
        if self._distance is Distance.INNER_PRODUCT:
            return product
        return product / (sqrt(fsum(map(mul, one, one))) * sqrt(fsum(map(mul, other, other))))


class InMemoryLexicalIndex:
    """Exact BM25 over ``bags`` (lexeme to frequency) by id, in Lucene's variant.

    score = sum of frequency in the query · idf · impact over the query's lexemes in code-point order, where
    idf = ln(1 + (N − df + 0.5) / (df + 0.5)) and impact = tf / (tf + k1 · (1 − b + b · length / pivot)), rounded to
    float32 as the lexical leg stores it. ``pivot`` None is the mean length. Statistics are those of all bags: for a
    caller's view, make an index of what it may read. Ties by id in code-point order.
    """

    def __init__(
        self,
        bags: Mapping[str, Mapping[str, int]],
        *,
        k1: float = 1.2,
        b: float = 0.75,
        pivot: float | None = None,
    ) -> None:
        lengths = {name: sum(bag.values()) for name, bag in bags.items()}
        usual = pivot or (fsum(lengths.values()) / len(lengths) if lengths else 1.0)
        self._count = len(bags)
        self._impacts: dict[str, dict[str, float]] = {}
        for name, bag in bags.items():
            rest = k1 * (1 - b + b * lengths[name] / usual)
            for lexeme, frequency in bag.items():
                (impact,) = array("f", [frequency / (frequency + rest)])
                self._impacts.setdefault(lexeme, {})[name] = impact

    def search(
        self,
        query: Mapping[str, int],
        k: int = 10,
        *,
        among: Collection[str] | None = None,
        min_score: float | None = None,
    ) -> list[tuple[str, float]]:
        """The ``k`` best ids with their scores, best first, of those in ``among`` (None: of all) with a lexeme of it.

        Raises ``QueryError`` for a k that is not 1 to 1,000.
        """
        _check_k(k)
        scores: dict[str, float] = {}
        for lexeme in sorted(query.keys() & self._impacts.keys()):
            holding = self._impacts[lexeme]
            idf = log(1 + (self._count - len(holding) + 0.5) / (len(holding) + 0.5))
            for name, impact in holding.items():
                if among is None or name in among:
                    scores[name] = scores.get(name, 0.0) + query[lexeme] * idf * impact
        return _best(scores, k, min_score)


def _check_k(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= _MAX_K:
        raise QueryError(f"k is a whole number from 1 to {_MAX_K}", argument="k")


def _best(scores: Mapping[str, float], k: int, min_score: float | None) -> list[tuple[str, float]]:
    kept = [item for item in scores.items() if min_score is None or item[1] >= min_score]
    return sorted(kept, key=lambda item: (-item[1], item[0]))[:k]
