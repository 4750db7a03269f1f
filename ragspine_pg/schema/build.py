"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "fb46f9a4eb36d5f53b9b12984bff052b"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
