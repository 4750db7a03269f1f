"""Every function body is valid where it is installed: the migration itself does not check bodies."""

from typing import Any

import psycopg
import pytest

_DEFINITIONS = """
SELECT pg_get_functiondef(pg_proc.oid) FROM pg_proc
 WHERE pronamespace = 'ragspine'::regnamespace ORDER BY pg_proc.oid::regprocedure::text
"""


def _invalid(connection: psycopg.Connection[Any]) -> list[str]:
    """First lines of the messages for functions that cannot be created again with their bodies checked."""
    faults = []
    definitions = [row[0] for row in connection.execute(_DEFINITIONS)]
    assert len(definitions) > 50
    connection.execute("SET LOCAL check_function_bodies = on")
    for definition in definitions:
        try:
            with connection.transaction(force_rollback=True):
                connection.execute(definition)
        except psycopg.errors.Error as error:
            faults.append(str(error).split("\n")[0])
    return faults


def test_every_body_is_valid(owner_transaction: psycopg.Connection[Any]) -> None:
    assert _invalid(owner_transaction) == []


@pytest.mark.parametrize(
    "body",
    [
        "LANGUAGE sql AS 'SELECT ragspine.no_such_function_v1()'",
        "LANGUAGE sql AS 'SELECT c.no_such_column FROM ragspine.chunk AS c'",
        "LANGUAGE plpgsql AS 'BEGIN RETRUN; END'",
    ],
)
def test_every_body_is_valid_has_teeth(owner_transaction: psycopg.Connection[Any], body: str) -> None:
    owner_transaction.execute("SET LOCAL check_function_bodies = off")
    owner_transaction.execute(f"CREATE FUNCTION ragspine.stray() RETURNS text {body}")
    assert len(_invalid(owner_transaction)) == 1


_UNPINNED = """
SELECT proname::text FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
 WHERE pronamespace = 'ragspine'::regnamespace AND (prosecdef OR lanname <> 'sql')
   AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
"""


def test_search_path_is_pinned_as_installed(owner_transaction: psycopg.Connection[Any]) -> None:
    assert owner_transaction.execute(_UNPINNED).fetchall() == []


def test_search_path_is_pinned_as_installed_has_teeth(owner_transaction: psycopg.Connection[Any]) -> None:
    owner_transaction.execute("ALTER FUNCTION ragspine.granted_v1() SET search_path = public")
    assert owner_transaction.execute(_UNPINNED).fetchall() == [("granted_v1",)]
