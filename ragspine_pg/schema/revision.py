"""The revisions this code knows, in order, without Alembic: what ``check`` compares a database with."""

from ragspine_pg.schema.build import BUILD

# Alembic's ids in `migrations/versions`; a test holds the two equal.
REVISIONS: tuple[str, ...] = ("rpg0001",)

HEAD = REVISIONS[-1]
"""The revision this code needs."""

STAMP = f"build {BUILD}"
"""The comment of the version table, by which a database made by another build of the same revision is told."""

VERSION_TABLE = "alembic_version"
"""Ours lies in schema ``ragspine``, apart from a host application's own."""
