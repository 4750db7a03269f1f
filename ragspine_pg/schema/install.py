"""What a migration calls to run our SQL text, online and offline alike, with pgvector's schema filled in."""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.exc import ProgrammingError

from ragspine_pg.errors import SchemaError
from ragspine_pg.schema.revision import STAMP, VERSION_TABLE
from ragspine_pg.statement.catalogue import read
from ragspine_pg.statement.render import render

OFFLINE_VECTOR_SCHEMA = "ragspine_vector_schema"
"""Option of the migration context that holds pgvector's schema when there is no database to ask."""

_FIND_VECTOR = """
SELECT nspname FROM pg_catalog.pg_extension JOIN pg_catalog.pg_namespace ON pg_namespace.oid = extnamespace
 WHERE extname = 'vector'"""

_CAN_CREATE_VECTOR = """
SELECT EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'vector'),
       pg_catalog.to_regnamespace('public') IS NOT NULL"""


def execute(context: MigrationContext, text: str) -> None:
    """Run SQL text exactly as it is: ``%``, ``:word`` and backslashes mean nothing to any layer in between."""
    if context.as_sql:
        context.impl.static_output(text.rstrip().removesuffix(";") + ";\n")
    else:
        assert context.connection is not None  # noqa: S101 - online contexts have one
        run_text(context.connection, text)


def run_text(connection: Connection, text: str) -> None:
    """Run SQL text, possibly several statements, without parameters."""
    connection.execution_options(no_parameters=True).exec_driver_sql(text)


def vector_schema(context: MigrationContext) -> str:
    """The schema of extension ``vector``: from the catalogue, or as the offline script was told."""
    if context.as_sql:
        return str(context.opts[OFFLINE_VECTOR_SCHEMA])
    assert context.connection is not None  # noqa: S101 - online contexts have one
    return ensure_vector(context.connection)


def ensure_vector(connection: Connection) -> str:
    """The schema in which ``vector`` is installed, installing it in ``public`` when that is allowed.

    :raises SchemaError: pgvector is not on the server, or this login may not install it.
    """
    if (found := connection.exec_driver_sql(_FIND_VECTOR).scalar()) is not None:
        return str(found)
    available, has_public = connection.exec_driver_sql(_CAN_CREATE_VECTOR).one()
    if not available:
        raise SchemaError(
            "the server has no pgvector: install it there (package postgresql-NN-pgvector, or your provider's extension"
            " list), then run `ragspine-pg migrate` again"
        )
    if not has_public:
        raise SchemaError(
            "extension vector is not installed, and there is no schema public to put it in: run"
            " `CREATE EXTENSION vector SCHEMA <yours>`, then `ragspine-pg migrate` again"
        )
    try:
        with connection.begin_nested():
            connection.exec_driver_sql("CREATE EXTENSION vector SCHEMA public")
    except ProgrammingError:
        raise SchemaError(
            "extension vector is not installed and this login may not install it: let a privileged login run"
            " `CREATE EXTENSION vector` in this database, then run `ragspine-pg migrate` again"
        ) from None
    return "public"


def install_tables(context: MigrationContext, revision: str) -> None:
    """Run the frozen DDL ``migrations/versions/<revision>.sql``."""
    text = (files("ragspine_pg._migrations") / "versions" / f"{revision}.sql").read_text(encoding="utf-8")
    execute(context, render(text, vector_schema(context)))


def install_functions(context: MigrationContext, names: Iterable[str]) -> None:
    """Run ``sql/functions/<name>.sql`` for each name, in this order.

    Bodies are not checked while they are created, since functions may call later ones; the tests call every one.
    """
    schema = vector_schema(context)
    execute(context, "SET LOCAL check_function_bodies = off")
    for name in names:
        execute(context, render(read("functions", name), schema))
    execute(context, "SET LOCAL check_function_bodies = on")


def stamp_build(context: MigrationContext) -> None:
    """Leave in the database which build made it. Every revision's upgrade ends with it: the last one's stays."""
    execute(context, f"COMMENT ON TABLE ragspine.{VERSION_TABLE} IS '{STAMP}'")


def drop_everything(context: MigrationContext, tables: Sequence[str]) -> None:
    """The way back of the first migration: drops ``tables``, all routines and all sequences of ours."""
    execute(
        context,
        "\n".join(
            [
                *(f"DROP TABLE ragspine.{table} CASCADE;" for table in tables),
                """\
DO $drop$
DECLARE
  victim text;
BEGIN
  FOR victim IN
    SELECT pg_catalog.format('DROP ROUTINE %s CASCADE', oid::regprocedure)
      FROM pg_catalog.pg_proc
     WHERE pronamespace = 'ragspine'::regnamespace
    UNION ALL
    SELECT pg_catalog.format('DROP SEQUENCE %s', oid::regclass)
      FROM pg_catalog.pg_class
     WHERE relnamespace = 'ragspine'::regnamespace AND relkind = 'S'
  LOOP
    EXECUTE victim;
  END LOOP;
END
$drop$""",
            ]
        ),
    )
