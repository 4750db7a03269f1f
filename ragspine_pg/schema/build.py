"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "f230fac1d5f50649f9c94ea0564d95e1"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
