"""Grants for the test's caller, and what a database makes of one."""

from typing import Any

import psycopg

from ragspine_pg import Access
from ragspine_pg.contract.grant import GrantKey, mint_grant
from tests.fixtures.database import Database


def grant_of(database: Database, access: Access, *, seconds: int = 600, now: float | None = None) -> str:
    """A grant by the database's own key."""
    return mint_grant(GrantKey.parse(database.grant_key), access, seconds=seconds, now=now)


def granted(place: Database | psycopg.Connection[Any], grant: str) -> tuple[str, list[str] | None]:
    """What ``grant`` is to a reader, and whose: over its own connection, or over one that is given, to be left set."""
    if isinstance(place, Database):
        with psycopg.connect(place.reader_url) as connection:
            return granted(connection, grant)
    place.execute("SELECT set_config('ragspine.grant', %s, true)", [grant])
    ((state, principals),) = place.execute("SELECT state, principals FROM ragspine.granted_v1()").fetchall()
    return state, principals


def state_of(place: Database | psycopg.Connection[Any], grant: str) -> str:
    """``valid``, or why it is not."""
    return granted(place, grant)[0]
