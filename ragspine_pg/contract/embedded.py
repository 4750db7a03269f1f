"""What an embedding model gives back, and how much it takes at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector a text, in the order of the texts, and what they cost."""

    vectors: Sequence[Sequence[float]]
    usage: Usage = field(default_factory=Usage)


def vector_text(vector: Sequence[float]) -> str:
    """A vector of float32 numbers in pgvector's text form: nine digits are read back as the same number."""
    return "[" + ",".join([f"{number:.9g}" for number in vector]) + "]"


@dataclass(frozen=True, slots=True)
class EmbeddingLimits:
    """How much a model is handed in one call of ``embed``, and how many calls run at once.

    ``items`` texts at most; ``characters`` code points at most, unless a single text is longer, which then goes alone;
    ``concurrency`` calls in flight, each in a thread of its own. Raises ``ConfigurationError`` on a number below 1.
    """

    items: int = 64
    characters: int = 100_000
    concurrency: int = 1

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if type(value) is not int or value < 1:
                raise ConfigurationError(f"an embedding limit, {item.name}, is a whole number from 1 on")
