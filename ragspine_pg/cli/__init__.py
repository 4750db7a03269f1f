"""The command line: thin doors to the facade, which turn arguments into calls and results into text or JSON."""

from ragspine_pg.cli.application import app
from ragspine_pg.cli.commands import (  # noqa: F401 - importing a module adds its commands to the application
    demonstrate,
    documents,
    evaluation,
    examine,
    grant,
    searching,
    setup,
    upkeep,
)

__all__ = ["app", "main"]


def main() -> None:
    """The console script ``ragspine-pg``: runs the command of ``sys.argv`` and ends the process with its status."""
    app(prog_name="ragspine-pg")
