"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "3fb15c37f825dd2ed9afd488f411b78e"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
