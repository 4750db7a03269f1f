"""The SQL files: packaged as ``ragspine_pg._sql``."""
