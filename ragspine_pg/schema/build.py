"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "172b831be4c6aeaab6343f7037ffdb57"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
