"""The signed grant: the proof, verified inside the database, of who a transaction acts for.

A grant is ``rg1.<key id>.<expiry>.<payload>.<signature>``: expiry in seconds since 1970, payload the base64url of
``{"nonce": "...", "principals": [...], "tenant": "..."}``, signature the HMAC-SHA-256 (RFC 2104) in hex over everything
before the last dot. The nonce makes each grant a text of its own, so that revoking one revokes no other; the database
does not read it, and takes a payload without one. It is a bearer token: whoever holds it may use it until it expires.

The key's text form, in ``RAGSPINE_GRANT_KEY``, is ``<key id>:<key>``: the first 8 hex digits of sha256(key), and the 32
bytes of the key as 64 hex digits.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
import time
from dataclasses import dataclass

from ragspine_pg.contract.access import Access
from ragspine_pg.errors import ConfigurationError

GRANT_SECONDS = 60
"""How long a grant is valid by default, in seconds."""

MAX_GRANT_SECONDS = 86_400
"""The longest that ``mint_grant`` signs for, in seconds: what is signed for long has to be kept, to be taken back."""

NONCE_BYTES = 8
"""How much of a grant is random, in bytes: two of a billion alive at once are alike with a probability of 3 %."""

_TEXT = re.compile(r"(?P<id>[0-9a-f]{8}):(?P<key>[0-9a-f]{64})")
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class GrantKey:
    """A key of 32 bytes and what is derived from it. Its repr shows the id alone."""

    key: bytes

    def __repr__(self) -> str:
        return f"GrantKey({self.key_id})"

    __str__ = __repr__

    @property
    def key_id(self) -> str:
        """The first 8 hex digits of the key's sha256: names the key in a grant, reveals nothing of it."""
        return hashlib.sha256(self.key).hexdigest()[:8]

    @property
    def text(self) -> str:
        """``<key id>:<key>``, secret."""
        return f"{self.key_id}:{self.key.hex()}"

    @property
    def inner_pad(self) -> bytes:
        """The block that HMAC hashes before the message."""
        return bytes(byte ^ 0x36 for byte in self.key.ljust(_BLOCK, b"\0"))

    @property
    def outer_pad(self) -> bytes:
        """The block that HMAC hashes before the inner hash."""
        return bytes(byte ^ 0x5C for byte in self.key.ljust(_BLOCK, b"\0"))

    @classmethod
    def parse(cls, text: str) -> "GrantKey":
        """The key of its text form.

        :raises ConfigurationError: another form, or an id that does not belong to the key (which makes it a checksum).
        """
        match = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise ConfigurationError(
                "the grant key is not of the form <8 hex digits>:<64 hex digits> that `ragspine-pg migrate` shows"
            )
        key = cls(bytes.fromhex(match["key"]))
        if key.key_id != match["id"]:
            raise ConfigurationError(
                "the grant key is mistyped: its first 8 digits are a checksum of the rest, and they do not match; copy"
                " it again from what `ragspine-pg migrate` showed"
            )
        return key

    @classmethod
    def new(cls) -> "GrantKey":
        """A fresh random key."""
        return cls(secrets.token_bytes(32))


def mint_grant(
    key: GrantKey,
    access: Access,
    *,
    seconds: int = GRANT_SECONDS,
    now: float | None = None,
    nonce: bytes | None = None,
) -> str:
    """A grant for ``access``, valid for ``seconds`` from ``now`` (seconds since 1970; default: this machine's clock).

    ``nonce`` tells it from every other grant (default: ``NONCE_BYTES`` random bytes).

    :raises ConfigurationError: ``seconds`` is no number, not positive, or more than ``MAX_GRANT_SECONDS``; or
        ``access`` is no ``Access``.
    """
    if not isinstance(access, Access):
        raise ConfigurationError("access is an Access(tenant, principals); without one nothing is readable")
    known = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not known or not 0 < seconds <= MAX_GRANT_SECONDS:
        raise ConfigurationError(
            f"a grant is valid for a positive number of seconds, at most {MAX_GRANT_SECONDS} (a day): sign another one"
            " when it has expired"
        )
    told_apart = secrets.token_bytes(NONCE_BYTES) if nonce is None else nonce
    payload = json.dumps(
        {"nonce": told_apart.hex(), "principals": sorted(access.principals), "tenant": access.tenant},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    expiry = int((time.time() if now is None else now) + seconds)
    encoded = base64.urlsafe_b64encode(payload.encode()).decode().rstrip("=")
    signed = f"rg1.{key.key_id}.{expiry}.{encoded}"
    return f"{signed}.{hmac.new(key.key, signed.encode(), hashlib.sha256).hexdigest()}"
