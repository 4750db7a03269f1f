"""The Alembic chain of schema ``ragspine``: packaged as ``ragspine_pg._migrations``."""
