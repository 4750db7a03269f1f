"""Whether texts may go to a model, and whether what came back may be stored."""

import math
from array import array
from collections.abc import Sequence
from operator import mul
from typing import Any, Final

from ragspine_pg.contract.embedded import Embedded
from ragspine_pg.contract.space import EmbeddingSpace
from ragspine_pg.contract.text import unstorable_offset
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import EmbeddingRejected, InvalidEmbeddingInput

NORM_TOLERANCE: Final = 0.01
"""How far from 1 the length of a normalised vector may be: models that compute in 16 bits are off by some 0.001."""

SHORTEST: Final = 1e-15
LONGEST: Final = 1e15
"""Lengths between which any two vectors can be compared: pgvector sums products of their numbers in float32."""


def place(position: int, labels: Sequence[str] | None) -> str:
    """How a message calls an item: its position from 0, and its label if it has one."""
    return f"texts[{position}]" if labels is None else f"texts[{position}] ({labels[position]})"


def examine_texts(texts: Sequence[str], labels: Sequence[str] | None) -> list[str]:
    """The texts as a list; raises ``InvalidEmbeddingInput`` on one that no model may be handed.

    That is what is no text, is blank, or holds a NUL (a model written in C would stop reading there) or a lone
    surrogate (which cannot be encoded).
    """
    if isinstance(texts, str | bytes):
        raise InvalidEmbeddingInput("texts is a sequence of texts, not a single one")
    items = list(texts)
    if labels is not None and (isinstance(labels, str) or len(labels) != len(items)):
        raise InvalidEmbeddingInput("labels, where given, are one a text")
    for position, text in enumerate(items):
        if not isinstance(text, str):
            fault = f"is a {type(text).__name__}, not a text"
        elif not text.strip():
            fault = "is blank"
        elif (offset := unstorable_offset(text)) is not None:
            fault = f"holds a NUL or a lone surrogate at offset {offset}"
        else:
            continue
        raise InvalidEmbeddingInput(f"{place(position, labels)} {fault}", **ids(position, labels))
    return items


def examine_embedded(embedded: object, expected: int, space: EmbeddingSpace) -> tuple[list[Sequence[float]], Usage]:
    """The vectors in float32, as they are stored, and the usage.

    Raises ``EmbeddingRejected`` unless there are as many as ``expected``, each of the space's length, of finite
    numbers, not zero, and of length 1 where the space says so. ``position`` is the first faulty one's.
    """
    if not isinstance(embedded, Embedded):
        raise EmbeddingRejected(f"the model gave back a {type(embedded).__name__}, not an Embedded")
    vectors: Any = embedded.vectors
    count = _length(vectors)
    if count != expected:
        raise EmbeddingRejected(f"the model gave back {_count(count)} for {expected} texts")
    usage = embedded.usage
    if not isinstance(usage, Usage):
        raise EmbeddingRejected("the model gave back no usage")
    try:
        each = list(vectors)
    except Exception:  # noqa: BLE001 - a sequence of a foreign model's class may say what it likes
        each = []
    if len(each) != expected:
        raise EmbeddingRejected("the model gave back vectors that cannot be read")
    return [_vector(vector, position, space) for position, vector in enumerate(each)], usage


def _vector(vector: Any, position: int, space: EmbeddingSpace) -> Sequence[float]:
    length = _length(vector)
    if length != space.dimensions:
        raise _rejected(position, f"has {'no' if length is None else length} dimensions, not {space.dimensions}")
    try:
        numbers = list(vector)
        # Also what float32 makes of a number is looked at: 1e39 is infinite there, and 1e-50 zero.
        values = None if bool in set(map(type, numbers)) else array("f", numbers)
    except Exception:  # noqa: BLE001 - as above
        values = None
    if values is None:
        raise _rejected(position, "holds something that is no number")
    if not all(map(math.isfinite, values)):
        raise _rejected(position, "holds a number that is not finite")
    norm = math.sqrt(sum(map(mul, values, values)))
    if norm == 0:
        raise _rejected(position, "is zero")
    if not SHORTEST <= norm <= LONGEST:
        raise _rejected(position, f"has length {norm:.3g}; float32 compares those from {SHORTEST:g} to {LONGEST:g}")
    if space.normalised and abs(norm - 1) > NORM_TOLERANCE:
        raise _rejected(position, f"has length {norm:.3f} in a space of normalised vectors")
    return values


def _rejected(position: int, fault: str) -> EmbeddingRejected:
    return EmbeddingRejected(f"its vector {fault}", position=position)


def _length(value: Any) -> int | None:
    if isinstance(value, str | bytes | bytearray | dict | set):
        return None
    try:
        return len(value)
    except Exception:  # noqa: BLE001 - as above
        return None


def _count(count: int | None) -> str:
    return "no sequence of vectors" if count is None else f"{count} vectors"


def ids(position: int, labels: Sequence[str] | None) -> dict[str, str | int]:
    """What an error about the item at ``position`` carries as its ``ids``."""
    return {"position": position} if labels is None else {"position": position, "label": labels[position]}
