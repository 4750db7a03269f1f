"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "8bee697ff7a8e78106bb28245527a3e8"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
