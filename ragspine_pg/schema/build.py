"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "fecb80cc09d5961b302e17fb01949c41"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
