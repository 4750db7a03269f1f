"""Stores the key that signs grants: made once, shown once, kept as the two padded blocks of HMAC (RFC 2104)."""

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.schema.tables import grant_key as grant_key_table


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
