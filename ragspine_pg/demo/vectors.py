"""The demo's embedding model: ``local``, with the vectors of the demo's own passages shipped beside them.

``vectors.json`` holds the fingerprint of the vectors' space and, by the SHA-256 of the text that was embedded, each
vector as base64 of little-endian float16. ``python -m ragspine_pg.demo.generate`` writes it.
"""

import json
import struct
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded
from ragspine_pg.contract.label import Sensitivity
from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.space import embedding_text
from ragspine_pg.contract.usage import Usage
from ragspine_pg.demo.libraries import DemoLibrary, demo_libraries
from ragspine_pg.embedding.local import LocalModel
from ragspine_pg.errors import ConfigurationError

VECTORS: Final = Path(__file__).with_name("vectors.json")
_DIGITS: Final = 16


class DemoModel:
    """``local`` in all but speed: the vectors of the demo's passages are read from a file, all others are computed.

    Where the installed release has other weights than the file was made by, nothing of the file is used.
    """

    remote: Final = False

    def __init__(self, local: EmbeddingModel) -> None:
        self.name = local.name
        self.options: Mapping[str, Any] = local.options
        self.space = local.space
        self._local = local
        fingerprint, vectors = _shipped()
        self._shipped = vectors if fingerprint == local.space.fingerprint else {}

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text; the usage counts what was computed."""
        found: list[Sequence[float] | None] = [None] * len(texts)
        if task is EmbeddingTask.RETRIEVAL_DOCUMENT:
            found = [self._shipped.get(vector_key(text)) for text in texts]
        missing = [text for text, vector in zip(texts, found, strict=True) if vector is None]
        made = self._local.embed(missing, task, deadline=deadline) if missing else Embedded((), Usage())
        rest = iter(made.vectors)
        return Embedded([next(rest) if vector is None else vector for vector in found], made.usage)


def demo_model() -> DemoModel | None:
    """The demo's model, or None where the extra ``local`` is not installed."""
    try:
        return DemoModel(LocalModel())
    except ConfigurationError:
        return None


def embedded_passages() -> Iterator[tuple[DemoLibrary, str]]:
    """The text of every passage of the demo that is embedded, as it is embedded: RESTRICTED ones are not."""
    for library in demo_libraries():
        chunker = make_chunker(library.chunker, **library.profile.get("chunker_options", {}))
        for document in library.documents:
            if document.sensitivity is not Sensitivity.RESTRICTED:
                for chunk in chunker.chunk(document):
                    yield library, embedding_text(document.title, chunk.text)


def vector_key(text: str) -> str:
    """How ``vectors.json`` calls the vector of that text."""
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def write_vector(vector: Sequence[float]) -> bytes:
    """A vector as little-endian float16: about 0.00005 beside what it was, for vectors of length 1."""
    return struct.pack(f"<{len(vector)}e", *vector)


def read_vector(written: bytes) -> tuple[float, ...]:
    """What ``write_vector`` wrote."""
    return struct.unpack(f"<{len(written) // 2}e", written)


@cache
def _shipped() -> tuple[str, dict[str, tuple[float, ...]]]:
    """The fingerprint of the shipped vectors' space, and the vectors by key."""
    shipped = json.loads(VECTORS.read_text(encoding="ascii"))
    return shipped["fingerprint"], {key: read_vector(b64decode(text)) for key, text in shipped["vectors"].items()}
