"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "97d964bfe6910e76b5c8fbd578f6e022"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
