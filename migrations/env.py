"""Alembic's entry point for the chain of schema ``ragspine``, run by ``ragspine_pg.schema.migrate`` alone."""

from alembic import context

from ragspine_pg.schema.environment import run

run(context)
