"""The schema ``ragspine``: its tables, its migrations, its snapshot. The only room that sees Alembic."""
