"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "f0448883f9d622d3f3e29b6c031dc0d3"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
