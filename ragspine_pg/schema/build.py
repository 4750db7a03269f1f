"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "2acecaf180258d473eb1568cb13ff868"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
