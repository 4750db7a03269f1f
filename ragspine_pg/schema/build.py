"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "c9394169178be11c26bf19398f53f043"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
