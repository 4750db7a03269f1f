"""``python -m ragspine_pg`` is the command ``ragspine-pg``."""

from ragspine_pg.cli import main

if __name__ == "__main__":
    main()
