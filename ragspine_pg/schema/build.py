"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "8531f7a978e03198294be3e79e119fd1"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
