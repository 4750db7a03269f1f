"""``http``: any service that speaks the rerank API which Cohere, Jina, vLLM and llama.cpp share, or that of TEI."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.judgement import Judgement
from ragspine_pg.embedding.endpoint import Endpoint
from ragspine_pg.errors import ConfigurationError, DeadlineExceeded, EmbeddingError, RerankRejected, RerankUnavailable

_OURS: Final = frozenset({"model", "query", "documents", "texts", "top_n"})
_SCORES: Final = ("relevance_score", "score")


class HttpReranker:
    """A model behind ``POST {base_url}/rerank`` (extra ``rerank``).

    ``shape="cohere"`` sends ``{"model", "query", "documents"}``, ``"tei"`` ``{"query", "texts"}``; either way the
    answer is a list of ``{"index", "relevance_score" or "score"}``, bare or under ``results`` or ``data``. ``members``
    are JSON members added to each request; not ``top_n``, since every text has to be judged.

    An attempt takes at most ``timeout`` seconds; 429s, timeouts and server errors are tried again, up to
    ``max_attempts`` attempts with at most ``max_wait`` seconds between two. The key is sent as a bearer token and shown
    nowhere.

    It counts as remote whatever its address, unless ``remote=False``: behind a loopback address there may be a tunnel.
    Raises ``ConfigurationError``, also for a remote ``http`` address that is not this machine's.
    """

    name: Final = "http"

    def __init__(
        self,
        *,
        base_url: str,
        model: str = "",
        api_key: str | None = None,
        shape: Literal["cohere", "tei"] = "cohere",
        members: Mapping[str, Any] | None = None,
        remote: bool = True,
        timeout: float = 5.0,
        max_attempts: int = 2,
        max_wait: float = 2.0,
    ) -> None:
        if shape not in ("cohere", "tei"):
            raise ConfigurationError("shape is 'cohere' or 'tei'")
        if not isinstance(model, str) or (shape == "cohere" and not model.strip()):
            raise ConfigurationError("model is the name of the model to judge by")
        if type(remote) is not bool:
            raise ConfigurationError("remote is true or false")
        if members is not None and (not isinstance(members, Mapping) or members.keys() & _OURS):
            raise ConfigurationError(f"members is a JSON object without: {', '.join(sorted(_OURS))}")
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigurationError("the API key holds a character that no HTTP header can")
        self.remote = remote
        self._members = {**(members or {}), **({"model": model} if model else {})}
        self._texts = "documents" if shape == "cohere" else "texts"
        self._endpoint = Endpoint(
            base_url,
            headers={} if api_key is None else {"Authorization": f"Bearer {api_key}"},
            timeout=timeout,
            max_attempts=max_attempts,
            max_wait=max_wait,
            extra="rerank",
        )
        if remote and not self._endpoint.secure and not self._endpoint.loopback:
            raise ConfigurationError(
                "texts would go to a remote service unencrypted: give an https base_url, or remote=False if it is yours"
            )

    def rerank(
        self,
        query: str,
        texts: Sequence[str],
        *,
        deadline: Deadline | None = None,
        idempotency_key: str | None = None,
    ) -> list[Judgement]:
        """The service's judgements from one request. Raises ``RerankRejected`` and ``RerankUnavailable``, which quote
        nothing that was sent."""
        body = {**self._members, "query": query, self._texts: list(texts)}
        # Some services send the texts back: as JSON, a code point takes at most twelve bytes.
        room = (1 << 16) + sum(12 * len(text) + 1024 for text in texts)
        try:
            answer, _ = self._endpoint.post(
                "rerank", body, deadline=deadline, max_bytes=room, idempotency_key=idempotency_key
            )
        except DeadlineExceeded:
            raise RerankUnavailable("the deadline passed") from None
        except EmbeddingError as error:  # the endpoint's own errors: they quote nothing
            raise RerankUnavailable(str(error)) from None
        return [_judgement(item) for item in _results(answer)]


def _results(answer: Any) -> list[Any]:
    if isinstance(answer, dict):
        answer = answer.get("results", answer.get("data"))
    if not isinstance(answer, list):
        raise RerankRejected("the answer holds no list called results")
    return answer


def _judgement(item: Any) -> Judgement:
    if not isinstance(item, dict):
        raise RerankRejected("the answer holds a result that is no object")
    index = item.get("index")
    score = next((item[name] for name in _SCORES if name in item), None)
    if type(index) is not int or isinstance(score, bool) or not isinstance(score, int | float):
        raise RerankRejected("the answer holds a result without an index and a score")
    return Judgement(index, score)
