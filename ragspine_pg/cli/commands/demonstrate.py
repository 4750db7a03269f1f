"""``demo``."""

import typer

from ragspine_pg.cli.application import command
from ragspine_pg.cli.connection import Connection


@command("demo", panel="Set up")
def demo(connection: Connection) -> None:
    """Ingest a small corpus and ask one question as three callers; safe to run again."""
    from ragspine_pg.demo.tour import run_tour

    with connection.spine() as spine:
        status = run_tour(spine)
    if status:
        raise typer.Exit(status)
