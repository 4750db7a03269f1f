"""``grant`` signs who a transaction acts for, for callers of the SQL functions; ``revoke`` takes that back."""

import sys
from typing import Annotated

import typer

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import AsOption, access_of, one_tenant
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import Mistake
from ragspine_pg.contract.grant import GRANT_SECONDS, MAX_GRANT_SECONDS


@command("grant", panel="Search")
def grant(
    connection: Connection,
    tenant: Annotated[str, typer.Argument(metavar="TENANT", show_default=False)],
    principals: AsOption = None,
    ttl: Annotated[
        int, typer.Option("--ttl", metavar="SECONDS", help=f"How long it is valid, at most {MAX_GRANT_SECONDS}.")
    ] = GRANT_SECONDS,
) -> None:
    """Print a signed grant, and nothing else: SELECT ragspine.assume($1), with the grant as a bound parameter.

    A grant is a bearer token: whoever holds it may use it until it expires.
    """
    name = one_tenant(tenant)
    if not principals:
        raise Mistake("a grant for nobody reads nothing: say who by --as PRINCIPAL, for example --as group:staff")
    with connection.spine() as spine:
        typer.echo(spine.grant(access_of(name, principals), seconds=ttl))


@command("revoke", panel="Search")
def revoke(
    connection: Connection,
    signed: Annotated[
        str,
        typer.Argument(
            metavar="GRANT",
            help="The grant, which others then see in the list of processes; - reads it from the standard input.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """Take a signed grant back before it expires, with the ingest login."""
    text = (sys.stdin.read() if signed == "-" else signed).strip()
    if not text:
        raise Mistake("no grant: give the grant, or - to read it from the standard input")
    with connection.ingestor() as ingestor:
        done = ingestor.revoke(text)
    typer.echo("the grant is revoked" if done else "there is nothing to revoke: it has expired, or was revoked before")
