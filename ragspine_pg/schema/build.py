"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "782aa19899027b094296124ced4168e9"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
