"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "97fac50fe049cefb0111b73fcac2bf29"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
