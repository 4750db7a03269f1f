"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "cbbdcde77c0c76958df4b035f98bdc6c"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
