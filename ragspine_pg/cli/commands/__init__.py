"""The commands, one file a group, and the application that has them all."""

from ragspine_pg.cli.application import app

# Importing a module adds its commands to the application; the help lists its panels in this order.
# isort: off
from ragspine_pg.cli.commands import setup, keys  # noqa: F401
from ragspine_pg.cli.commands import documents  # noqa: F401
from ragspine_pg.cli.commands import searching, grant  # noqa: F401
from ragspine_pg.cli.commands import upkeep, versions, examine  # noqa: F401
from ragspine_pg.cli.commands import evaluation  # noqa: F401
from ragspine_pg.cli.commands import demonstrate  # noqa: F401
# isort: on

__all__ = ["app"]
