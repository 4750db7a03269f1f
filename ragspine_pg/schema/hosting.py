"""For an application that has migrations of its own beside ours. See docs/guide for the three recipes.

1. Nothing to do: ``migrate(connection)`` runs our chain with its own version table, on your connection if you like.
2. A revision of yours calls ours: ``upgrade(op.get_bind())`` in its ``upgrade()``.
3. A script: ``ragspine-pg sql`` prints the SQL.

In each case, give your ``env.py`` the filter, or an autogenerate with ``include_schemas=True`` proposes to drop our
tables::

    context.configure(..., include_schemas=True, include_name=ragspine_pg.schema.hosting.include_name)
"""

from collections.abc import Callable, Mapping
from typing import Any

from ragspine_pg.schema.tables import SCHEMA

IncludeName = Callable[[str | None, str, Mapping[str, str | None]], bool]


def include_name(name: str | None, type_: str, parent_names: Mapping[str, str | None]) -> bool:
    """Alembic's ``include_name`` for a host: everything but our schema."""
    return not (type_ == "schema" and name == SCHEMA) and parent_names.get("schema_name") != SCHEMA


def excluding_ours(then: IncludeName) -> IncludeName:
    """A host's own ``include_name`` with ours before it."""

    def both(name: str | None, type_: str, parent_names: Mapping[str, str | None]) -> bool:
        return include_name(name, type_, parent_names) and then(name, type_, parent_names)

    return both


def include_only_ours(name: str | None, type_: str, parent_names: Mapping[str, str | None]) -> bool:
    """Alembic's ``include_name`` for our own chain: nothing but our schema."""
    return name == SCHEMA if type_ == "schema" else parent_names.get("schema_name") == SCHEMA


def upgrade(connection: Any, *, grant_key: str | None = None) -> None:
    """Bring our schema to this code's revision inside a host's revision: call it with ``op.get_bind()``.

    Part of the host's transaction. A new grant key is not shown here: read it from ``migrate()`` or hand one in.

    :raises SchemaError: as ``migrate``.
    """
    from ragspine_pg.schema.migrate import migrate

    migrate(connection, grant_key=grant_key)


def downgrade(connection: Any) -> None:
    """Drop everything of ours, data included, inside a host's downgrade: call it with ``op.get_bind()``."""
    from ragspine_pg.schema.migrate import downgrade as down

    down(connection)
