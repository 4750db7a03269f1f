"""The name of a call, by which a service knows that it is asked the same again, and need not be paid for it twice."""

import hmac
import inspect
import re
from collections.abc import Callable
from typing import Any, Final

from ragspine_pg.errors import ConfigurationError

_KEY: Final = re.compile(r"[!-~]{1,200}")


def require_key(key: Any) -> str:
    """``key``; raises ``ConfigurationError`` unless a header can carry it, and still can with what is added to it."""
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ConfigurationError(
            "idempotency_key is 1 to 200 letters, digits and signs of ASCII, without blanks: it is sent as a header",
            argument="idempotency_key",
        )
    return key


def request_key(key: str, content: bytes, secret: bytes = b"") -> str:
    """The name of one request of the call ``key``: of the same ``content`` the same, of any other another one.

    So a service never takes a request for one that asked something else. ``secret`` keeps who sees the name alone from
    trying which text ``content`` holds; without one, a short text can be guessed.
    """
    return f"{key}-{hmac.new(secret, content, 'sha256').hexdigest()[:32]}"


def key_option(function: Callable[..., Any], key: str | None) -> dict[str, Any]:
    """The keyword arguments that hand ``key`` to ``function``: none where it has no parameter ``idempotency_key``.

    One that takes any keywords (``**options``) is handed none: what it does with them is not known.
    """
    if key is None:
        return {}
    try:
        # What is called, not what it wraps.
        parameter = inspect.signature(function, follow_wrapped=False).parameters.get("idempotency_key")
    except (TypeError, ValueError):
        return {}
    if parameter is None or parameter.kind not in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        return {}
    return {"idempotency_key": key}
