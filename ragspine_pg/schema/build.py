"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "9602c2ef94bea277e00013542d45629b"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
