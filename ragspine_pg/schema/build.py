"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "b98fbb30546f716b092855e996d6b726"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
