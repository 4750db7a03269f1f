"""``hashing``: vectors of hashed words and n-grams. For tests: offline and quick, but it knows no meaning."""

import math
import re
import time
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import Distance, EmbeddingSpace
from ragspine_pg.contract.usage import Usage

_WORD: Final = re.compile(r"\w+")
# Scripts that are written without blanks between words begin at the CJK radicals; Hangul is among them and fares well.
_CJK: Final = "⺀"
_NGRAM_WEIGHT: Final = 0.5


class HashingModel:
    """Feature hashing (Weinberger et al. 2009): each word and each of its character n-grams adds to one dimension.

    Texts that share words, or parts of words, are near each other; nothing else is known of language. The same text
    has the same vector in every process and on every platform. The vectors have length 1; ``dimensions`` is from 1 to
    16,000.
    """

    name: Final = "hashing"
    remote: Final = False

    def __init__(self, dimensions: int = 256) -> None:
        self.options: Mapping[str, Any] = {"dimensions": dimensions}
        self.space = EmbeddingSpace("hashing", "words-and-ngrams", "1", dimensions, Distance.COSINE, normalised=True)

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text, the same for both tasks; ``tokens`` of the usage counts words."""
        started, words = time.monotonic(), 0
        vectors = []
        for text in texts:
            counts = Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
            words += counts.total()
            vectors.append(self._vector(text, counts))
        return Embedded(vectors, Usage(len(texts), words, 1, time.monotonic() - started))

    def _vector(self, text: str, counts: Counter[str]) -> list[float]:
        length = self.space.dimensions
        vector = [0.0] * length
        for word, count in counts.items():
            # A word said often counts more, but less and less so.
            often = 1 + math.log(count)
            for place, weight in _features(word):
                vector[place % length] += weight * often
        norm = math.sqrt(math.fsum(value * value for value in vector))
        if norm == 0:
            # No words (punctuation only), or contributions that cancel out: the text as a whole is the feature.
            vector[_hash(text) % length] = norm = 1.0
        return [value / norm for value in vector]


@lru_cache(maxsize=1 << 16)
def _features(word: str) -> tuple[tuple[int, float], ...]:
    """Hash and signed weight of a word and of its n-grams; collisions cancel out on average thanks to the signs."""
    found = [(_hash(word), 1.0), *((_hash(part), _NGRAM_WEIGHT) for part in _ngrams(word))]
    return tuple((number >> 1, weight if number & 1 else -weight) for number, weight in found)


def _ngrams(word: str) -> Iterator[str]:
    size, padded = (2, word) if word[0] >= _CJK else (3, f"^{word}$")
    for start in range(len(padded) - size + 1):
        # Marked by their size, so that the n-gram "cat" is not the word "cat".
        yield f"{size}:{padded[start : start + size]}"


def _hash(text: str) -> int:
    # CRC is linear, so that similar texts have related values; multiplying mixes the bits (Knuth's constant).
    mixed = zlib.crc32(text.encode("utf-8", "surrogatepass")) * 2654435761
    return (mixed ^ mixed >> 16) & 0xFFFFFFFF
