"""``sentence_transformers``: any model that the package of that name loads (extra ``sentence-transformers``)."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import Distance, EmbeddingSpace
from ragspine_pg.contract.usage import Usage
from ragspine_pg.errors import ConfigurationError, InvalidEmbeddingInput

# What the package itself looks for, in this order, when it encodes a document or a query.
_DOCUMENT_PROMPTS: Final = ("document", "passage", "corpus")
_QUERY_PROMPTS: Final = ("query",)


class SentenceTransformersModel:
    """A model in this process; texts do not leave it. ``model`` is a folder, or a name on the Hugging Face hub.

    Nothing is downloaded unless ``download=True``; code that comes with a model is never run. ``revision`` is the
    hub's commit or tag: give it, so that the space names the weights. The prefixes are the model's own prompts unless
    given. ``long_text`` says what becomes of a text longer than the model reads: ``"error"`` (default) refuses it,
    ``"end"`` cuts its end off, as the package does. Raises ``ConfigurationError`` where it cannot be loaded.
    """

    name: Final = "sentence_transformers"
    remote: Final = False

    def __init__(
        self,
        *,
        model: str,
        revision: str = "",
        distance: Distance = Distance.COSINE,
        document_prefix: str | None = None,
        query_prefix: str | None = None,
        long_text: str = "error",
        device: str | None = None,
        download: bool = False,
        batch_items: int = 32,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError("the name of a sentence_transformers model is blank")
        if long_text not in ("error", "end"):
            raise ConfigurationError("long_text is one of: error, end")
        self.limits = EmbeddingLimits(items=batch_items, characters=200_000, concurrency=1)
        self._lock, self._refuse_long = threading.Lock(), long_text == "error"
        self._model = _load(model, revision=revision or None, device=device, local_files_only=not download)
        prompts: Mapping[str, str] = self._model.prompts
        if document_prefix is None:
            document_prefix = _first(prompts, _DOCUMENT_PROMPTS)
        if query_prefix is None:
            query_prefix = _first(prompts, _QUERY_PROMPTS)
        self.options: Mapping[str, Any] = {
            "model": model,
            "revision": revision,
            "distance": distance,
            "document_prefix": document_prefix,
            "query_prefix": query_prefix,
            "long_text": long_text,
            "device": device,
            "download": download,
            "batch_items": batch_items,
        }
        self.space = EmbeddingSpace(
            provider=self.name,
            model=model,
            revision=revision,
            dimensions=self._model.get_embedding_dimension() or 0,
            distance=distance,
            normalised=True,
            document_prefix=document_prefix,
            query_prefix=query_prefix,
        )

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Deadline | None = None) -> Embedded:
        """One vector a text, normalised; tokens of the usage include prefix and marks."""
        started = time.monotonic()
        query = task is EmbeddingTask.RETRIEVAL_QUERY
        prefix = self.space.query_prefix if query else self.space.document_prefix
        with self._lock:
            if deadline is not None:
                deadline.remaining()
            counts = self._count([prefix + text for text in texts])
            longest = self._model.max_seq_length
            if self._refuse_long and longest is not None:
                for position, count in enumerate(counts):
                    if count > longest:
                        raise InvalidEmbeddingInput(
                            f"has {count} tokens, more than the {longest} that the model reads", position=position
                        )
            # An empty prompt, too, is said: else the package would put the model's default prompt.
            vectors = self._model.encode(
                list(texts),
                prompt=prefix,
                batch_size=self.limits.items,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return Embedded(vectors.tolist(), Usage(len(counts), sum(counts), 1, time.monotonic() - started))

    def _count(self, texts: list[str]) -> list[int]:
        tokenizer = self._model.tokenizer
        if callable(tokenizer):
            encoded = tokenizer(texts, add_special_tokens=True, truncation=False, verbose=False)
            return [len(numbers) for numbers in encoded["input_ids"]]
        # A model of static vectors brings a plain tokenizer, and reads texts of any length.
        return [len(one.ids) for one in tokenizer.encode_batch(texts)]


def _load(model: str, **options: Any) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise ConfigurationError(
            "this model needs its package: pip install 'ragspine-pg[sentence-transformers]'"
        ) from None
    try:
        return SentenceTransformer(model, trust_remote_code=False, **options)
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(
            f"the sentence_transformers model {model!r} cannot be loaded ({type(error).__name__}); "
            "is it on this machine? download=True fetches it from the hub"
        ) from None


def _first(prompts: Mapping[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] or "" for name in names if name in prompts), "")
