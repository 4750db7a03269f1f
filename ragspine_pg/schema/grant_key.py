"""The key that signs grants: made once, shown once, stored as the two padded blocks of HMAC (RFC 2104).

Its text form, in ``RAGSPINE_GRANT_KEY`` and in ``Migrated.grant_key``, is ``<key_id>:<key>``: 8 hex digits, the first of
sha256(key), and the 32 bytes of the key as 64 hex digits.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from ragspine_pg.errors import ConfigurationError
from ragspine_pg.schema.tables import grant_key as grant_key_table

_TEXT = re.compile(r"(?P<id>[0-9a-f]{8}):(?P<key>[0-9a-f]{64})")
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class GrantKey:
    """A key of 32 bytes and what is derived from it. Its repr shows the id alone."""

    key: bytes

    def __repr__(self) -> str:
        return f"GrantKey({self.key_id})"

    def __str__(self) -> str:
        return repr(self)

    @property
    def key_id(self) -> str:
        """The first 8 hex digits of the key's sha256: names the key in a grant, reveals nothing of it."""
        return hashlib.sha256(self.key).hexdigest()[:8]

    @property
    def text(self) -> str:
        """``<key_id>:<key>``, secret."""
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

        :raises ConfigurationError: another form, or an id that does not belong to the key.
        """
        match = _TEXT.fullmatch(text.strip())
        key = cls(bytes.fromhex(match["key"])) if match else None
        if match is None or key is None or key.key_id != match["id"]:
            raise ConfigurationError(
                "the grant key is not of the form <8 hex digits>:<64 hex digits> that `ragspine-pg migrate` shows"
            )
        return key

    @classmethod
    def new(cls) -> "GrantKey":
        """A fresh random key."""
        return cls(secrets.token_bytes(32))


def store_grant_key(connection: Connection, given: str | None) -> GrantKey | None:
    """Store ``given`` beside the others, or a new key if there is none yet; the new one, when one was made.

    :raises ConfigurationError: ``given`` is malformed or was retired in this database.
    """
    if given is not None:
        key = GrantKey.parse(given)
        _insert(connection, key)
        retired_at = select(grant_key_table.c.retired_at).where(grant_key_table.c.key_id == key.key_id)
        if connection.execute(retired_at).scalar() is not None:
            raise ConfigurationError(f"grant key {key.key_id} was retired in this database", key_id=key.key_id)
        return None
    if connection.execute(select(grant_key_table.c.key_id).limit(1)).first() is not None:
        return None
    key = GrantKey.new()
    _insert(connection, key)
    return key


def _insert(connection: Connection, key: GrantKey) -> None:
    row = {"key_id": key.key_id, "inner_pad": key.inner_pad, "outer_pad": key.outer_pad}
    connection.execute(insert(grant_key_table).values(row).on_conflict_do_nothing())
