"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "eac29cdbedff76efb98256aea82ba317"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
