"""``openai``: any service that speaks OpenAI's embeddings API (extra ``openai``)."""

import inspect
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from ragspine_pg.contract.canonical import canonical_json
from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.embedded import Embedded, EmbeddingLimits
from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.contract.space import Distance, EmbeddingSpace
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.endpoint import Endpoint
from ragspine_pg.errors import ConfigurationError, EmbeddingRejected, InvalidEmbeddingInput

OPENAI_URL: Final = "https://api.openai.com/v1"

_DIMENSIONS: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_OURS: Final = frozenset({"input", "model", "encoding_format", "dimensions"})
_LIMITS: Final = EmbeddingLimits(items=64, characters=200_000, concurrency=4)
# A float as JSON takes at most some 25 characters; the rest is for keys, and for servers that indent.
_BYTES_A_NUMBER: Final = 64
_BYTES_A_REPLY: Final = 1 << 16


class OpenAIModel:
    """A model behind ``POST {base_url}/embeddings``.

    ``dimensions`` may be left out for OpenAI's own models. ``document_prefix`` and ``query_prefix`` are put before each
    text; ``document_members`` and ``query_members`` are JSON members added to the request of that task, such as
    ``{"input_type": "query"}``. All of these belong to the space, and so does ``revision``: change it when the service
    changes the weights behind a name.

    ``send_dimensions`` asks the service for vectors of that length; by default only models that can shorten theirs are
    asked. ``max_characters`` refuses longer texts here: give it for a service that cuts texts in silence.

    The key is ``api_key``, else ``RAGSPINE_OPENAI_API_KEY`` of the environment, else, for OpenAI's own address alone,
    ``OPENAI_API_KEY``. It is no part of ``options`` and appears nowhere.

    The model counts as remote whatever its address, unless ``remote=False``: behind a loopback address there may be a
    tunnel, a proxy or a router to somebody else, and only who set it up can know. Raises ``ConfigurationError``.
    """

    name: Final = "openai"

    def __init__(
        self,
        *,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        base_url: str = OPENAI_URL,
        api_key: str | None = None,
        provider: str = "openai",
        revision: str = "",
        distance: Distance = Distance.COSINE,
        normalised: bool = True,
        document_prefix: str = "",
        query_prefix: str = "",
        document_members: Mapping[str, Any] | None = None,
        query_members: Mapping[str, Any] | None = None,
        send_dimensions: bool | None = None,
        max_characters: int | None = None,
        remote: bool = True,
        timeout: float = 30.0,
        max_attempts: int = 5,
        max_wait: float = 60.0,
        batch_items: int = _LIMITS.items,
        batch_characters: int = _LIMITS.characters,
        concurrency: int = _LIMITS.concurrency,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "api_key")}
        native = _DIMENSIONS.get(model)
        if dimensions is None and native is None:
            raise ConfigurationError("dimensions is needed: the length of this model's vectors is not known here")
        if max_characters is not None and max_characters < 1:
            raise ConfigurationError("max_characters is a whole number from 1 on")
        length = native if dimensions is None else dimensions
        if send_dimensions is None:
            send_dimensions = model.startswith("text-embedding-3") and length != native
        if type(remote) is not bool:
            raise ConfigurationError("remote is true or false")
        self.remote = remote
        self.limits = EmbeddingLimits(batch_items, batch_characters, concurrency)
        members = {name: _read_members(name, given[name]) for name in ("document_members", "query_members")}
        self._members = dict(zip(EmbeddingTask, members.values(), strict=True))
        self._asked_length = length if send_dimensions else None
        self._max_characters = max_characters
        self.space = EmbeddingSpace(
            provider=provider,
            model=model,
            revision=revision + canonical_json(members) if any(members.values()) else revision,
            dimensions=length,  # type: ignore[arg-type]  # the space refuses what is no number
            distance=distance,
            normalised=normalised,
            document_prefix=document_prefix,
            query_prefix=query_prefix,
        )
        # All that was said and is not the default, so that a stored profile reads as its author wrote it.
        defaults = inspect.signature(type(self)).parameters
        differing = {name: value for name, value in given.items() if value != defaults[name].default}
        self.options: Mapping[str, Any] = {"model": model, "dimensions": length, **differing, **_only_given(members)}
        key = api_key or _find_key(base_url)
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ConfigurationError("the API key holds a character that no HTTP header can")
        self._endpoint = Endpoint(
            base_url,
            headers={} if key is None else {"Authorization": f"Bearer {key}"},
            timeout=timeout,
            max_attempts=max_attempts,
            max_wait=max_wait,
            extra="openai",
        )
        if remote and not self._endpoint.secure and not self._endpoint.loopback:
            raise ConfigurationError(
                "texts would go to a remote service unencrypted: give an https base_url, or remote=False if it is yours"
            )

    def embed(
        self,
        texts: Sequence[str],
        task: EmbeddingTask,
        *,
        deadline: Deadline | None = None,
        idempotency_key: str | None = None,
    ) -> Embedded:
        """One vector a text from one request; ``calls`` of the usage counts attempts, ``tokens`` is the service's."""
        started = time.monotonic()
        if self._max_characters is not None:
            for position, text in enumerate(texts):
                if len(text) > self._max_characters:
                    raise InvalidEmbeddingInput(
                        f"has {len(text):,} code points, more than the {self._max_characters:,} of max_characters",
                        position=position,
                    )
        query = task is EmbeddingTask.RETRIEVAL_QUERY
        prefix = self.space.query_prefix if query else self.space.document_prefix
        body = {
            **self._members[task],
            "model": self.space.model,
            "input": [prefix + text for text in texts],
            "encoding_format": "float",
        }
        if self._asked_length is not None:
            body["dimensions"] = self._asked_length
        room = _BYTES_A_REPLY + len(texts) * self.space.dimensions * _BYTES_A_NUMBER
        answer, attempts = self._endpoint.post(
            "embeddings", body, deadline=deadline, max_bytes=room, idempotency_key=idempotency_key
        )
        vectors = _in_order(answer, len(texts))
        return Embedded(vectors, Usage(len(texts), _tokens(answer), attempts, time.monotonic() - started))


def _in_order(answer: Any, expected: int) -> list[Any]:
    """The vectors by their ``index``, which need not be the order they came in. Raises ``EmbeddingRejected``."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise EmbeddingRejected("the answer holds no list called data")
    if len(data) != expected:
        raise EmbeddingRejected(f"the answer holds {len(data)} vectors for {expected} texts")
    vectors: dict[int, Any] = {}
    for item in data:
        index = item.get("index") if isinstance(item, dict) else None
        if type(index) is not int or not 0 <= index < expected:
            raise EmbeddingRejected(f"the answer holds a vector without an index from 0 to {expected - 1}")
        if index in vectors:
            raise EmbeddingRejected("the answer holds two vectors of this index", position=index)
        if not isinstance(item.get("embedding"), list):
            raise EmbeddingRejected("the answer holds no list of numbers for it", position=index)
        vectors[index] = item["embedding"]
    return [vectors[index] for index in range(expected)]


def _tokens(answer: dict[str, Any]) -> int:
    """What the service counted, 0 when it does not say: a matter of cost, and no reason to refuse vectors."""
    usage = answer.get("usage")
    counted = usage.get("total_tokens", usage.get("prompt_tokens")) if isinstance(usage, dict) else None
    return counted if type(counted) is int and counted >= 0 else 0


def _read_members(name: str, members: Any) -> dict[str, Any]:
    if members is None:
        return {}
    if not isinstance(members, Mapping) or members.keys() & _OURS:
        raise ConfigurationError(f"{name} is a JSON object without: {', '.join(sorted(_OURS))}")
    try:
        copied: dict[str, Any] = json.loads(canonical_json(members))
    except (TypeError, ValueError):
        raise ConfigurationError(f"{name} is a JSON object") from None
    return copied


def _only_given(members: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def _find_key(base_url: str) -> str | None:
    """The key in the environment. One made for OpenAI is not sent to anybody else."""
    if key := os.environ.get("RAGSPINE_OPENAI_API_KEY"):
        return key
    if urlsplit(base_url).hostname != urlsplit(OPENAI_URL).hostname:
        return None
    if key := os.environ.get("OPENAI_API_KEY"):
        return key
    raise ConfigurationError("OpenAI needs a key: set RAGSPINE_OPENAI_API_KEY or OPENAI_API_KEY, or pass api_key")
