"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "6be55c640e33046eb7460f03464e0e04"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
