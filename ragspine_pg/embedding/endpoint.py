"""A JSON service over HTTP, asked again when that can help, never past the deadline, and never quoted in an error."""

import json
import time
import weakref
from collections.abc import Mapping, Set
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ragspine_pg.contract.context import Deadline
from ragspine_pg.contract.idempotency import request_key
from ragspine_pg.errors import (
    ConfigurationError,
    DeadlineExceeded,
    EmbeddingError,
    EmbeddingRejected,
    EmbeddingUnavailable,
)

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

# Too early, too many, and a server's own troubles; 501 is a server that will never do it.
_TRANSIENT_STATUS: Final = frozenset({408, 425, 429, *range(500, 600)} - {501})
_CONFLICT: Final = 409  # to a request with a key: an earlier attempt of it is still being answered
_STATUS_HINTS: Final = {
    400: "the server takes a text, the model or an option for wrong; texts may be longer than it reads",
    401: "the key is missing or wrong",
    403: "the key does not allow this",
    404: "base_url or the model's name is wrong",
    413: "a request is too large; lower batch_items or batch_characters",
    422: "the server takes a text, the model or an option for wrong",
}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class _Transient(Exception):
    """An attempt failed in a way that another may not; ``retry_after`` is what the server asked to wait, in seconds."""

    def __init__(self, fault: str, retry_after: float | None = None) -> None:
        super().__init__(fault)
        self.retry_after = retry_after


class Endpoint:
    """One service, and how patiently it is asked.

    ``timeout`` bounds an attempt, ``max_attempts`` their number, ``max_wait`` the pause between two (all in seconds or
    counts). A pause is the server's Retry-After plus up to a tenth, else random up to a bound that doubles from 0.5 s.
    Redirects are not followed: they would carry key and texts elsewhere. A proxy of the environment is used, but not
    for this machine's own addresses.

    Raises ``ConfigurationError`` for a URL that is not ``http`` or ``https``, or holds a login, a query or a fragment,
    and where ``httpx`` or ``tenacity`` is not installed.
    """

    def __init__(
        self, url: str, *, headers: Mapping[str, str], timeout: float, max_attempts: int, max_wait: float, extra: str
    ) -> None:
        try:
            import httpx
            import tenacity  # noqa: F401 - missed now, not in the middle of an ingest
        except ImportError:
            raise ConfigurationError(
                f"this model needs httpx and tenacity: pip install 'ragspine-pg[{extra}]'"
            ) from None
        try:
            parts = urlsplit(url)
            self.host, port = parts.hostname or "", parts.port
        except ValueError:
            parts, self.host, port = urlsplit(""), "", None
        if parts.scheme not in ("http", "https") or not self.host or port == 0:
            raise ConfigurationError("base_url is an http or https URL with a host")
        if parts.username is not None or parts.query or parts.fragment:
            raise ConfigurationError("base_url holds no login, query or fragment: it is stored and shown")
        if not 0 < timeout < float("inf") or max_attempts < 1 or not 0 <= max_wait < float("inf"):
            raise ConfigurationError("timeout is a number above 0, max_attempts from 1 on, max_wait from 0 on")
        # None who reads a key in some log should find out by trying which text it was made of.
        self._secret = headers.get("Authorization", "").encode()
        self.secure = parts.scheme == "https"
        self.loopback = self.host in _LOOPBACK
        self._url, self._timeout = url.rstrip("/"), timeout
        self._max_attempts, self._max_wait = max_attempts, max_wait
        self._client = httpx.Client(
            headers={"User-Agent": "ragspine-pg", **headers},
            follow_redirects=False,
            trust_env=not self.loopback,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=16),
        )
        # Idle connections must not outlive the model and be complained of as leaked.
        weakref.finalize(self, self._client.close)

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        deadline: Deadline | None,
        max_bytes: int,
        idempotency_key: str | None = None,
    ) -> tuple[Any, int]:
        """The JSON value that the service answers, and how many attempts it took.

        ``idempotency_key`` names the call. All attempts of this request carry it, with a digest of what is sent and
        where, as ``Idempotency-Key``; another request, also of the same call, carries another one.

        Raises ``EmbeddingUnavailable`` when no attempt got an answer, or none can any more before the deadline;
        ``EmbeddingRejected`` for an answer that is not JSON or longer than ``max_bytes``; ``EmbeddingError`` for a
        status that asking again cannot change; ``DeadlineExceeded``. No message holds anything of request or answer.
        """
        from tenacity import Retrying, retry_if_exception_type

        content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        url, headers = f"{self._url}/{path}", {"Content-Type": "application/json"}
        transient = _TRANSIENT_STATUS
        if idempotency_key is not None:
            headers["Idempotency-Key"] = request_key(idempotency_key, url.encode() + b"\n" + content, self._secret)
            transient |= {_CONFLICT}
        attempts = 0
        failure: str

        def attempt() -> bytes:
            nonlocal attempts
            attempts += 1
            return self._attempt(url, content, headers, transient, deadline, max_bytes)

        def is_enough(state: "RetryCallState") -> bool:
            wait = state.upcoming_sleep
            if attempts >= self._max_attempts or wait > self._max_wait:
                return True
            return deadline is not None and wait >= deadline.at - time.monotonic()

        retrying = Retrying(
            retry=retry_if_exception_type(_Transient), wait=self._wait, stop=is_enough, reraise=True, sleep=time.sleep
        )
        try:
            answer = retrying(attempt)
        except _Transient as error:
            failure = str(error)
            if error.retry_after is not None and error.retry_after > self._max_wait:
                failure += f"; it asks to wait {error.retry_after:.0f} s"
        else:
            return self._parse(answer), attempts
        times = "once" if attempts == 1 else f"{attempts} times"
        raise EmbeddingUnavailable(f"asked {self.host} {times}, at last: {failure}", host=self.host, attempts=attempts)

    def _wait(self, state: "RetryCallState") -> float:
        from tenacity import wait_random, wait_random_exponential

        error = state.outcome.exception() if state.outcome is not None else None
        asked = getattr(error, "retry_after", None)
        if asked is None:
            return wait_random_exponential(multiplier=0.5, max=min(8.0, self._max_wait))(state)
        # Not all clients at once. A wait that is just allowed stays so.
        longest = max(0.0, min(asked / 10, self._max_wait - asked))
        return float(asked + wait_random(0, longest)(state))

    def _attempt(
        self,
        url: str,
        content: bytes,
        headers: Mapping[str, str],
        transient: Set[int],
        deadline: Deadline | None,
        max_bytes: int,
    ) -> bytes:
        import httpx

        limit = Deadline.after(self._timeout)
        if deadline is not None and deadline.at < limit.at:
            limit = deadline
        left = limit.remaining()
        fault: str
        try:
            with self._client.stream("POST", url, content=content, headers=headers, timeout=left) as response:
                _check_status(response, transient)
                return _read(response, limit, max_bytes)
        except (httpx.TimeoutException, TimeoutError):
            if limit is deadline:
                raise DeadlineExceeded("the deadline passed") from None
            fault = f"no whole answer within {self._timeout:g} s"
        except httpx.DecodingError:
            raise EmbeddingRejected("the answer cannot be unpacked") from None
        except (httpx.TransportError, httpx.StreamError) as error:
            fault = f"no connection, or a broken one ({type(error).__name__})"
        raise _Transient(fault)

    def _parse(self, answer: bytes) -> Any:
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            fault = EmbeddingRejected("the answer is not JSON")
        # Out here: the parser's error holds the answer, which may echo texts.
        raise fault


def _check_status(response: "httpx.Response", transient: Set[int]) -> None:
    status = response.status_code
    if status == 200:
        return
    if status in transient:
        raise _Transient(f"HTTP {status}", _retry_after(response.headers))
    if 300 <= status < 400:
        raise EmbeddingError("a redirect, which is not followed: give its target as base_url", status=status)
    hint = _STATUS_HINTS.get(status)
    raise EmbeddingError(f"refused with HTTP {status}" + (f": {hint}" if hint else ""), status=status)


def _read(response: "httpx.Response", limit: Deadline, max_bytes: int) -> bytes:
    """The body. A server that sends a little now and then is stopped by the limit, an endless one by ``max_bytes``."""
    parts, length = [], 0
    for part in response.iter_bytes():
        parts.append(part)
        length += len(part)
        if length > max_bytes:
            raise EmbeddingRejected(f"the answer is longer than {max_bytes:,} bytes")
        if time.monotonic() >= limit.at:
            raise TimeoutError
    return b"".join(parts)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait: a number, or a date; None when it does not, or not legibly."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
