"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "0f33ece84977e34675805664fbaf3eb2"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
