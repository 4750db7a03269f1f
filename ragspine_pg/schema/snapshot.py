"""The catalogue of schema ``ragspine`` as sorted text: two databases have the same schema if their texts are equal.

Unlike ``alembic check`` it sees index parameters, operator classes, partial predicates, CHECK ranges, generated
expressions, row security, policies, rights, functions, triggers and comments.
"""

from sqlalchemy import text

from ragspine_pg.schema.lend import Target, lend
from ragspine_pg.statement.catalogue import read


def snapshot(target: Target) -> str:
    """One line a property, sorted by code point; empty where there is no schema ``ragspine``.

    Definitions are as the server writes them, so a text is comparable within one PostgreSQL major version.

    :raises ConfigurationError: ``target`` is of the wrong kind.
    :raises UnavailableError: the database cannot be reached.
    """
    with lend(target) as connection:
        # The server shortens names by the search_path: pin it, and give a lent transaction its own back.
        found = connection.exec_driver_sql("SHOW search_path").scalar_one()
        set_path = text("SELECT pg_catalog.set_config('search_path', :path, true)")
        connection.execute(set_path, {"path": "pg_catalog, pg_temp"})
        statement = read("queries", "snapshot_catalogue")
        rows = connection.execution_options(no_parameters=True).exec_driver_sql(statement).scalars().all()
        connection.execute(set_path, {"path": found})
    return "".join(f"{line}\n" for line in sorted(_one_line(str(row)) for row in rows))


def _one_line(row: str) -> str:
    return row.replace("\n", "\\n")
