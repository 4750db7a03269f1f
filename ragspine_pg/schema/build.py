"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "54f3ee2ef158e95fcac0334a7ad17c64"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
