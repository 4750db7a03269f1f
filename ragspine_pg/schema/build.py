"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "6af19f71ee6d5b41136e47f7ddee7964"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
