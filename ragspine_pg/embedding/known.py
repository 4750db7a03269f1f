"""The models at hand, by the space that their vectors lie in."""

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.errors import ConfigurationError


def embedding_profile(model: EmbeddingModel) -> dict[str, Any]:
    """What an index version's profile says of its model: enough to make it again, and the space it must then have."""
    return {
        "name": model.name,
        "options": dict(model.options),
        "space": model.space.to_json(),
        "fingerprint": model.space.fingerprint,
        "remote": model.remote,
    }


class KnownModels:
    """Finds the model for a version's profile: one that was handed in, else one made by its name, kept for later.

    Safe to share between threads.
    """

    def __init__(self, models: Iterable[EmbeddingModel] = ()) -> None:
        self._lock = threading.Lock()
        self._by_space: dict[str, EmbeddingModel] = {}
        for model in models:
            self.add(model)

    def add(self, model: EmbeddingModel) -> None:
        """Keep a model; it serves every version of its space. Raises ``ConfigurationError`` for what is none."""
        if not isinstance(model, EmbeddingModel):
            raise ConfigurationError("an embedding model is an object with name, options, space, remote and embed")
        with self._lock:
            self._by_space[model.space.fingerprint] = model

    def find(self, profile: Mapping[str, Any]) -> EmbeddingModel:
        """The model for ``profile`` (see ``embedding_profile``).

        Raises ``ConfigurationError`` when it cannot be made by its name, or comes out with another space.
        """
        fingerprint, name = str(profile["fingerprint"]), str(profile["name"])
        with self._lock:
            if (known := self._by_space.get(fingerprint)) is not None:
                return known
            try:
                made = make_embedding_model(name, **profile["options"])
            except ConfigurationError as error:
                raise ConfigurationError(
                    f"the library was embedded by model {name!r}, which cannot be made here: {error}; or hand it in:"
                    " open(…, embedding_models=[model])",
                    embedding=name,
                ) from None
            if made is None or made.space.fingerprint != fingerprint:
                raise ConfigurationError(
                    f"model {name!r} has another space now than when the library was embedded (other weights,"
                    " dimensions or prefixes): rebuild the library, or hand in the model it was made with:"
                    " open(…, embedding_models=[model])",
                    embedding=name,
                )
            self._by_space[fingerprint] = made
            return made
