"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "d0e960f73d55b7368bb56b680ac7ef76"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
