"""The models at hand, by the space that their vectors lie in."""

import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.ports import EmbeddingModel
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.errors import ConfigurationError, DeadlineExceeded


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
    """Finds the model for a version's profile: the one it was made with, one that was handed in for its space, else one
    made by its name and options, kept for later.

    Two profiles can have one space and not be one model's: another ``base_url`` is another service, and what a library
    holds goes to none but its own. Safe to share between threads.
    """

    def __init__(self, models: Iterable[EmbeddingModel] = ()) -> None:
        self._lock = threading.Lock()
        self._making: dict[str, threading.Lock] = {}
        self._of_profile: dict[str, EmbeddingModel] = {}
        self._of_space: dict[tuple[str, bool], EmbeddingModel] = {}
        for model in models:
            self.add(model)

    def add(self, model: EmbeddingModel) -> None:
        """Keep a model that the application handed in to serve every version of its space.

        Raises ``ConfigurationError`` for what is no model.
        """
        _require_model(model)
        with self._lock:
            self._of_space[model.space.fingerprint, bool(model.remote)] = model

    def keep(self, model: EmbeddingModel) -> None:
        """Keep the model that a library is made with, for the versions whose profiles name this very one.

        Raises ``ConfigurationError`` for what is no model.
        """
        _require_model(model)
        with self._lock:
            self._of_profile[_key(embedding_profile(model))] = model

    def find(self, profile: Mapping[str, Any], deadline: Deadline | None = None) -> EmbeddingModel:
        """The model for ``profile`` (see ``embedding_profile``).

        A profile's model that is not remote may be shown CONFIDENTIAL text, so a remote one of the same space does not
        stand in for it; the other way round it may. While another thread makes the model it is waited for, until
        ``deadline``.

        Raises ``ConfigurationError`` when it cannot be made by its name, comes out with another space, or is remote
        where the profile's is not; ``DeadlineExceeded``.
        """
        key = _key(profile)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        # A model that takes its time keeps nobody from those at hand.
        if not making.acquire(timeout=-1 if deadline is None else deadline.remaining()):
            raise DeadlineExceeded("the deadline passed while the embedding model was being made")
        try:
            if (known := self._at_hand(key, profile)) is None:
                known = _made(profile)
                with self._lock:
                    self._of_profile[key] = known
            return known
        finally:
            making.release()

    def _at_hand(self, key: str, profile: Mapping[str, Any]) -> EmbeddingModel | None:
        with self._lock:
            if (kept := self._of_profile.get(key)) is not None:
                return kept
            fingerprint = str(profile["fingerprint"])
            for remote in _allowed(profile):
                if (handed_in := self._of_space.get((fingerprint, remote))) is not None:
                    return handed_in
            if (fingerprint, True) in self._of_space:
                raise _too_remote(str(profile["name"]))
            return None


def _require_model(model: object) -> None:
    if not isinstance(model, EmbeddingModel):
        raise ConfigurationError("an embedding model is an object with name, options, space, remote and embed")


def _allowed(profile: Mapping[str, Any]) -> tuple[bool, ...]:
    return (True, False) if profile.get("remote", False) else (False,)


def _key(profile: Mapping[str, Any]) -> str:
    named = {name: profile[name] for name in ("name", "options", "fingerprint")}
    return canonical_json({**named, "remote": bool(profile.get("remote", False))})


def _made(profile: Mapping[str, Any]) -> EmbeddingModel:
    name = str(profile["name"])
    try:
        # Read from the database, its numbers are Decimals, with which no float can be reckoned.
        made = make_embedding_model(name, **json.loads(canonical_json(profile["options"])))
    except ConfigurationError as error:
        raise ConfigurationError(
            f"the library was embedded by model {name!r}, which cannot be made here: {error}; or hand it in:"
            " open(…, embedding_models=[model])",
            embedding=name,
        ) from None
    if made is None or made.space.fingerprint != profile["fingerprint"]:
        raise ConfigurationError(
            f"model {name!r} has another space now than when the library was embedded (other weights,"
            " dimensions or prefixes): rebuild the library, or hand in the model it was made with:"
            " open(…, embedding_models=[model])",
            embedding=name,
        )
    if made.remote not in _allowed(profile):
        raise _too_remote(name)
    return made


def _too_remote(name: str) -> ConfigurationError:
    return ConfigurationError(
        f"model {name!r} is remote here and was not when the library was made, which may show it CONFIDENTIAL text:"
        " rebuild the library with the remote model, or hand in the one it was made with",
        embedding=name,
    )
