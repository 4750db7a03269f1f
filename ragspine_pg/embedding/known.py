"""The models at hand, by the space that their vectors lie in."""

import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from ragspine_pg.contract.canonical import canonical_json
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
        self._making: dict[str, threading.Lock] = {}
        self._models: dict[tuple[str, bool], EmbeddingModel] = {}
        for model in models:
            self.add(model)

    def add(self, model: EmbeddingModel) -> None:
        """Keep a model; it serves every version of its space. Raises ``ConfigurationError`` for what is none."""
        if not isinstance(model, EmbeddingModel):
            raise ConfigurationError("an embedding model is an object with name, options, space, remote and embed")
        with self._lock:
            self._models[model.space.fingerprint, bool(model.remote)] = model

    def find(self, profile: Mapping[str, Any]) -> EmbeddingModel:
        """The model for ``profile`` (see ``embedding_profile``).

        A profile's model that is not remote may be shown CONFIDENTIAL text, so a remote one of the same space does not
        stand in for it; the other way round it may.

        Raises ``ConfigurationError`` when it cannot be made by its name, comes out with another space, or is remote
        where the profile's is not.
        """
        fingerprint, name = str(profile["fingerprint"]), str(profile["name"])
        allowed = (True, False) if profile.get("remote", False) else (False,)
        with self._lock:
            making = self._making.setdefault(fingerprint, threading.Lock())
        with making:  # a model that takes its time keeps nobody from those at hand
            with self._lock:
                for remote in allowed:
                    if (known := self._models.get((fingerprint, remote))) is not None:
                        return known
                if (fingerprint, True) in self._models:
                    raise _too_remote(name)
            try:
                # Read from the database, its numbers are Decimals, with which no float can be reckoned.
                made = make_embedding_model(name, **json.loads(canonical_json(profile["options"])))
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
            if made.remote not in allowed:
                raise _too_remote(name)
            with self._lock:
                self._models[fingerprint, bool(made.remote)] = made
            return made


def _too_remote(name: str) -> ConfigurationError:
    return ConfigurationError(
        f"model {name!r} is remote here and was not when the library was made, which may show it CONFIDENTIAL text:"
        " rebuild the library with the remote model, or hand in the one it was made with",
        embedding=name,
    )
