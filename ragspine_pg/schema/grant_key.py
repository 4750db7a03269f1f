"""The keys that sign grants: made once, shown once, kept as the two padded blocks of HMAC (RFC 2104).

Any number are in use at once, so that one can follow another without a moment in which grants fail: add the new one,
sign with it everywhere, retire the old one when what it signed has expired, or at once when it was stolen.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import psycopg
from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.errors import ConfigurationError, NotFound
from ragspine_pg.flow.translate import translate
from ragspine_pg.schema.lend import Target, lend
from ragspine_pg.schema.tables import grant_key as grant_key_table


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key that the database knows; nothing of it is secret."""

    key_id: str
    """The 8 hex digits that name it in a grant and in its text."""

    created_at: datetime
    retired_at: datetime | None
    """None while it verifies grants."""


def list_grant_keys(target: Target) -> tuple[StoredKey, ...]:
    """All keys, retired ones too, the oldest first; as the owner.

    :raises ConfigurationError: the login is not the owner's.
    :raises SchemaError: nothing was migrated.
    :raises UnavailableError: the database cannot be reached.
    """
    table = grant_key_table.c
    wanted = select(table.key_id, table.created_at, table.retired_at).order_by(table.created_at, table.key_id)
    with lend(target) as connection, _translated():
        return tuple(StoredKey(*row) for row in connection.execute(wanted))


def require_grant_key(target: Target, key_id: str) -> None:
    """See to it that there is a key of that id, in use or retired; as the owner.

    :raises NotFound: there is none.
    :raises ConfigurationError: the login is not the owner's.
    :raises SchemaError: nothing was migrated.
    :raises UnavailableError: the database cannot be reached.
    """
    if all(key.key_id != key_id for key in list_grant_keys(target)):
        raise _not_found()


def add_grant_key(target: Target, grant_key: str | None = None) -> GrantKey:
    """Let one more key verify grants: ``grant_key``, else a new one, which nobody can be shown again; as the owner.

    Harmless for a key that is there.

    :raises ConfigurationError: ``grant_key`` is malformed or was retired here, or the login is not the owner's.
    :raises SchemaError: nothing was migrated.
    :raises UnavailableError: the database cannot be reached.
    """
    key = GrantKey.new() if grant_key is None else GrantKey.parse(grant_key)
    with lend(target) as connection, _translated():
        _keep(connection, key)
    return key


def retire_grant_key(target: Target, key_id: str) -> bool:
    """End all that a key has signed, at once and for good; False if it was retired before. As the owner.

    :raises NotFound: there is no key of that id.
    :raises ConfigurationError: it is the only one in use, or the login is not the owner's.
    :raises SchemaError: nothing was migrated.
    :raises UnavailableError: the database cannot be reached.
    """
    table = grant_key_table.c
    with lend(target) as connection, _translated():
        # All are locked: of two calls at once that would each leave the other's key, one has to see that it is gone.
        rows = connection.execute(select(table.key_id, table.retired_at).with_for_update())
        keys = {row.key_id: row.retired_at for row in rows}
        if key_id not in keys:
            raise _not_found()
        if keys[key_id] is not None:
            return False
        if list(keys.values()).count(None) == 1:
            raise ConfigurationError(
                f"grant key {key_id} is the only one in use, without which nothing is readable: add another first"
                " (`ragspine-pg keys --add`)",
                key_id=key_id,
            )
        connection.execute(update(grant_key_table).where(table.key_id == key_id).values(retired_at=func.now()))
        return True


def store_grant_key(connection: Connection, given: str | None) -> GrantKey | None:
    """Store ``given`` beside the others, or a new key if there is none yet; the key that the database did not know.

    :raises ConfigurationError: ``given`` is malformed or was retired in this database.
    """
    if given is not None:
        key = GrantKey.parse(given)
        return key if _keep(connection, key) else None
    if connection.execute(select(grant_key_table.c.key_id).limit(1)).first() is not None:
        return None
    key = GrantKey.new()
    _keep(connection, key)
    return key


def _keep(connection: Connection, key: GrantKey) -> bool:
    """Whether it was not there before."""
    row = {"key_id": key.key_id, "inner_pad": key.inner_pad, "outer_pad": key.outer_pad}
    store = insert(grant_key_table).values(row).on_conflict_do_nothing().returning(grant_key_table.c.key_id)
    stored = connection.execute(store).first()
    retired_at = select(grant_key_table.c.retired_at).where(grant_key_table.c.key_id == key.key_id)
    if connection.execute(retired_at).scalar() is not None:
        raise ConfigurationError(f"grant key {key.key_id} was retired in this database", key_id=key.key_id)
    return stored is not None


def _not_found() -> NotFound:
    return NotFound("there is no grant key of that id; `ragspine-pg keys` lists those there are")


@contextmanager
def _translated() -> Iterator[None]:
    """The database's errors as ours."""
    try:
        yield
    except DBAPIError as error:
        if not isinstance(error.orig, psycopg.Error):
            raise
        if error.orig.sqlstate == "42501":
            raise ConfigurationError(
                "only the owner of schema ragspine sees the keys: name its login by RAGSPINE_OWNER_URL"
            ) from None
        raise translate(error.orig) from None
