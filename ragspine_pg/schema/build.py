"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "7ea07c00ab1bea9d461006cfc87f4d32"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
