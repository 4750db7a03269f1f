"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "c3342a5f671f7d7a913d98bea9319ed1"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
