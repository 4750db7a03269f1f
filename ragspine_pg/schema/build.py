"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "667c7645bf0bc913aa134bfad1786e31"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
