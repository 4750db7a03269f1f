"""An embedding space: what must agree before two vectors may be compared."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.errors import ConfigurationError

MAX_DIMENSIONS: Final = 16_000
"""The longest vector that pgvector stores."""


class Distance(StrEnum):
    """How two vectors of a space are compared. A score is always made of it so that larger is better."""

    COSINE = "cosine"
    INNER_PRODUCT = "inner_product"
    L2 = "l2"


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Everything that a vector depends on besides its text. Vectors of different spaces are never compared.

    ``provider`` is the kind of model (``"openai"``), ``model`` its name there, ``revision`` its weights' version (empty
    when the provider tells none). ``dimensions`` is the length of each vector, from 1 to 16,000. ``normalised`` says
    that each vector has length 1. The prefixes are what the model puts before a document and before a query.

    Raises ``ConfigurationError`` on a blank provider or model name, a length out of bounds, an unknown distance, a
    value of another type, or a text with NUL or a lone surrogate.
    """

    provider: str
    model: str
    revision: str
    dimensions: int
    distance: Distance
    normalised: bool
    document_prefix: str = ""
    query_prefix: str = ""

    def __post_init__(self) -> None:
        for name in ("provider", "model", "revision", "document_prefix", "query_prefix"):
            value: object = getattr(self, name)
            if not isinstance(value, str) or unstorable_offset(value) is not None:
                raise ConfigurationError(f"an embedding space's {name} is a text without NUL and lone surrogates")
            if name in ("provider", "model") and not value.strip():
                raise ConfigurationError(f"an embedding space's {name} is blank")
        if type(self.dimensions) is not int or not 1 <= self.dimensions <= MAX_DIMENSIONS:
            raise ConfigurationError(f"an embedding space has 1 to {MAX_DIMENSIONS:,} dimensions")
        if type(self.normalised) is not bool:
            raise ConfigurationError("an embedding space's normalised is true or false")
        try:
            object.__setattr__(self, "distance", Distance(self.distance))
        except ValueError:
            known = ", ".join(Distance)
            raise ConfigurationError(f"an embedding space's distance is one of: {known}") from None

    @property
    def fingerprint(self) -> str:
        """The first 32 hex digits of the SHA-256 of the space's canonical JSON: equal for equal spaces only."""
        return sha256(canonical_json(self.to_json()).encode()).hexdigest()[:32]

    def to_json(self) -> dict[str, Any]:
        """The space as a JSON object; ``from_json`` reads it back."""
        return {item.name: getattr(self, item.name) for item in fields(self)} | {"distance": self.distance.value}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "EmbeddingSpace":
        """The space of that JSON object, which has exactly the fields of ``to_json``, else ``ConfigurationError``."""
        known = {item.name for item in fields(cls)}
        if not isinstance(value, Mapping) or value.keys() != known:
            raise ConfigurationError(f"an embedding space is an object of exactly: {', '.join(sorted(known))}")
        return cls(**value)


def embedding_text(title: str, text: str) -> str:
    """What is embedded for a chunk: its document's title, a line end, and its own text; or the one that is not blank.

    Blank only when both are.
    """
    if not title.strip():
        return text
    return f"{title}\n{text}" if text.strip() else title
