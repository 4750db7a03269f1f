"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "158dd64aace74770fb96171c17bd33d0"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
