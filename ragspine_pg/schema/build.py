"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "10377692bcbb20693d024c64b01bae18"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
