"""What holds of every table: its keys begin with the tenant, and it says what it is for."""

from typing import Any

import psycopg

from ragspine_pg.schema.tables import metadata

Connection = psycopg.Connection[Any]

_KEYS_WITHOUT_TENANT = """
SELECT conname::text
  FROM pg_constraint
  JOIN pg_class ON pg_class.oid = conrelid
 WHERE relnamespace = 'ragspine'::regnamespace AND contype IN ('p', 'u', 'f')
   AND (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) <> 'tenant_no'
UNION ALL
SELECT indexrelid::regclass::text
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indrelid
 WHERE relnamespace = 'ragspine'::regnamespace AND indisunique
   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
   AND (SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0]) IS DISTINCT FROM 'tenant_no'
"""


def test_every_key_of_tenants_data_begins_with_the_tenant(owner_transaction: Connection) -> None:
    found = {row[0] for row in owner_transaction.execute(_KEYS_WITHOUT_TENANT)}
    assert found == {
        "alembic_version_pkc",  # Alembic's
        "pk_grant_key",  # the installation's
        "pk_revoked_grant",  # the installation's: a grant may be for a tenant that is not there yet
        "uq_tenant__tenant",  # the tenant's own name
    }


def test_every_key_of_tenants_data_begins_with_the_tenant_has_teeth(owner_transaction: Connection) -> None:
    owner_transaction.execute("CREATE UNIQUE INDEX stray ON ragspine.chunk (chunk_id)")
    assert "ragspine.stray" in {row[0] for row in owner_transaction.execute(_KEYS_WITHOUT_TENANT)}


def test_every_table_of_the_metadata_has_a_comment() -> None:
    assert [table.name for table in metadata.tables.values() if not table.comment] == []
