"""``keys``: the keys that sign grants, and how one follows another."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import JsonOption
from ragspine_pg.cli.commands.setup import show_new_key
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import Mistake
from ragspine_pg.cli.terminal import output, styled, write_json

if TYPE_CHECKING:
    from ragspine_pg.connect.embedded import EmbeddedServer
    from ragspine_pg.schema.grant_key import StoredKey


@command("keys", panel="Set up")
def keys(
    connection: Connection,
    add: Annotated[bool, typer.Option("--add", help="Make another key and show it, this once.")] = False,
    retire: Annotated[
        str | None, typer.Option("--retire", metavar="KEY_ID", help="End a key, and all that it signed, at once.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the keys that verify grants, or make another, or end one; as the owner.

    To change keys without a moment in which grants fail: --add one, give it to every process that searches, and
    --retire the old one when what it signed has expired. If it was stolen, retire it at once.
    """
    from ragspine_pg.schema.grant_key import add_grant_key, list_grant_keys, require_grant_key, retire_grant_key

    made = retired = None
    found: tuple[StoredKey, ...] | None = None
    try:
        with _owner(connection) as (owner, server):
            if retire is not None and not add and server is not None and _id_of(server) == retire:
                raise Mistake(f"the embedded server signs with grant key {retire}: give --add too")
            if retire is not None:
                require_grant_key(owner, retire)  # before another is made
            if add:
                made = add_grant_key(owner)
                if not json:
                    show_new_key(made.text)
                if server is not None:
                    server.store_grant_key(made.text, replace=True)
            retired = retire_grant_key(owner, retire) if retire is not None else None
            found = list_grant_keys(owner)
    finally:
        # Whatever fails after it was made: nobody can be shown it again.
        if json and (made is not None or found is not None):
            write_json({"grant_key": None if made is None else made.text, "retired": retired, "keys": found})
    if json:
        return
    if server is not None and made is not None:
        typer.echo(
            f"the embedded server keeps it in {server.home / 'keyring.json'}, and signs with it from its next use on"
        )
    if retired is not None:
        typer.echo(f"grant key {retire} is retired" + ("" if retired else " already"))
    if made is None and retired is None:
        table = Table(box=None, pad_edge=False)
        for heading in ("key", "made", "retired"):
            table.add_column(heading)
        for key in found:
            ended = "" if key.retired_at is None else f"{key.retired_at:%Y-%m-%d %H:%M}"
            table.add_row(styled(key.key_id), f"{key.created_at:%Y-%m-%d %H:%M}", ended)
        output().print(table)


@contextmanager
def _owner(connection: Connection) -> Iterator[tuple[str, "EmbeddedServer | None"]]:
    """The owner's URL, and the embedded server where it is the server's."""
    if connection.owner is not None:
        yield connection.owner, None
        return
    if connection.is_embedded:
        with connection.spine() as spine:
            if spine.embedded is not None:
                yield spine.embedded.owner_url, spine.embedded
                return
    raise Mistake("no owner to do this as: name the database owner's login by --owner-database or RAGSPINE_OWNER_URL")


def _id_of(server: "EmbeddedServer") -> str | None:
    return None if server.grant_key is None else server.grant_key.partition(":")[0]
