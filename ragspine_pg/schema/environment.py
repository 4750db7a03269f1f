"""What ``migrations/env.py`` runs: the options of our chain, and the state that every migrate makes true again."""

from types import ModuleType

from ragspine_pg.schema.hosting import include_only_ours
from ragspine_pg.schema.install import OFFLINE_VECTOR_SCHEMA, execute, vector_schema
from ragspine_pg.schema.revision import VERSION_TABLE
from ragspine_pg.schema.state import state_sql
from ragspine_pg.schema.tables import SCHEMA, metadata

# One key for everybody who migrates: without it, three of four simultaneous upgrades die of each other.
LOCK_KEY = 0x72616773_70696E65  # "ragspine"

PREPARE = (
    # Nothing a search_path could smuggle in is resolved while our objects are made.
    "SET LOCAL search_path = pg_catalog, pg_temp",
    f"SELECT pg_advisory_xact_lock({LOCK_KEY})",
    # CREATE SCHEMA IF NOT EXISTS would need the right to create one even where it exists.
    """\
DO $schema$
BEGIN
  IF pg_catalog.to_regnamespace('ragspine') IS NULL THEN
    CREATE SCHEMA ragspine;
  END IF;
END
$schema$""",
)


def run(context: ModuleType) -> None:
    """Configure Alembic for our chain and run the migrations, on the lent connection or as an SQL script."""
    options = context.config.attributes
    context.configure(
        connection=options.get("connection"),
        dialect_name=None if "connection" in options else "postgresql",
        as_sql="connection" not in options,
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        version_table_schema=SCHEMA,
        include_schemas=True,
        include_name=include_only_ours,
        transaction_per_migration=False,
        **{OFFLINE_VECTOR_SCHEMA: options.get("vector_schema")},
    )
    migration = context.get_context()
    with context.begin_transaction():
        for text in [*PREPARE, *options.get("before", ())]:
            execute(migration, text)
        context.run_migrations()
        for text in [*state_sql(vector_schema(migration)), *options.get("after", ())]:
            execute(migration, text)
