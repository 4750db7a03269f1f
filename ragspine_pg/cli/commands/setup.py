"""``migrate``, ``sql`` and ``create``: what comes before the first document."""

from typing import Annotated

import typer

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import (
    AnalyzerOption,
    ChunkerOption,
    EmbeddingOption,
    JsonOption,
    LibraryArgument,
    ProfileOption,
    StatisticsOption,
    fields_of,
    object_of,
    one_library,
    statistics_of,
)
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import Mistake, say
from ragspine_pg.cli.terminal import write_json


@command("migrate", panel="Set up")
def migrate(connection: Connection, json: JsonOption = False) -> None:
    """Create or upgrade schema ragspine, as its owner; harmless when nothing is left to do.

    The first time it makes the key that signs grants and shows it, this once. A key in RAGSPINE_GRANT_KEY that the
    database does not know is added to those that sign.
    """
    from ragspine_pg.schema.migrate import migrate as bring_up
    from ragspine_pg.schema.privileges import GATE

    home = None
    if connection.owner is not None:
        key = connection.config.grant_key
        done = bring_up(connection.owner, grant_key=None if key is None else key.get_secret_value())
    elif connection.is_embedded:
        with connection.spine() as spine:
            done = spine.migrate()
            home = spine.embedded.home if spine.embedded is not None else None
    else:
        raise Mistake(
            "no owner to migrate as: name the database owner's login by --owner-database URL or RAGSPINE_OWNER_URL, or"
            " give --single-login if there is one login for everything"
        )
    if json:
        write_json(
            {
                "before": done.before,
                "after": done.after,
                "grant_key": done.grant_key,
                "added_key_id": done.added_key_id,
                "missing_roles": list(done.missing_roles),
            }
        )
    else:
        was = "was not there before" if done.before is None else f"was at {done.before}"
        typer.echo(f"schema ragspine is at {done.after}" + (" already" if done.before == done.after else f" ({was})"))
        if done.grant_key is not None:
            show_new_key(done.grant_key)
        if done.added_key_id is not None and home is None:
            typer.echo(
                f"added grant key {done.added_key_id} from RAGSPINE_GRANT_KEY: what it signs is valid here from now on"
            )
        if home is not None:
            typer.echo(f"the embedded server keeps its passwords and the grant key in {home / 'keyring.json'}")
    for role in done.missing_roles:
        given, without = "", ""
        if role == GATE:
            given = f"; GRANT {role} TO <this login> WITH INHERIT TRUE, SET TRUE"
            without = (
                "; until then row-level security does not stand behind the functions that hand out text, their own"
                " conditions alone do"
            )
        say(
            f"the group role {role} is missing and this login may not create it: let a privileged login run"
            f" `CREATE ROLE {role} NOLOGIN{given}`, then run `ragspine-pg migrate` again{without}"
        )


def show_new_key(text: str) -> None:
    """The one time that a key of grants is shown."""
    typer.echo("a new key signs grants; it is not shown again. Keep it secret, and give it to every process that")
    typer.echo("searches, for example by this line in its environment:")
    typer.echo(f"RAGSPINE_GRANT_KEY={text}")


@command("sql", panel="Set up")
def sql(
    connection: Connection,
    revisions: Annotated[
        str, typer.Argument(metavar="[FROM:TO]", help="Revisions; base is an empty database, head the newest.")
    ] = "base:head",
    vector_schema: Annotated[str, typer.Option(metavar="NAME", help="The schema of extension vector.")] = "public",
) -> None:
    """Print the SQL of the migrations, for psql and for reading; no database is touched."""
    from ragspine_pg.schema.migrate import sql_script

    before, colon, after = revisions.partition(":")
    if not colon:
        raise Mistake(f"name revisions as FROM:TO, for example base:head, not {revisions!r}")
    typer.echo(sql_script(before or "base", after or "head", vector_schema=vector_schema), nl=False)


@command("create", panel="Set up")
def create(
    connection: Connection,
    library: LibraryArgument,
    analyzer: AnalyzerOption = None,
    chunker: ChunkerOption = None,
    embedding: EmbeddingOption = None,
    statistics: StatisticsOption = None,
    profile: ProfileOption = None,
    description: Annotated[str, typer.Option(help="What the library is about.")] = "",
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME:TYPE", help="An indexed metadata field: string, number, boolean or timestamp."),
    ] = None,
    exist_ok: Annotated[
        bool, typer.Option("--exist-ok", help="Accept one that is alike in all that is given.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Make an empty library, and its tenant if that is new."""
    place = one_library(library)
    with connection.ingestor() as ingestor:
        made = ingestor.create_library(
            place.tenant,
            place.library,
            description=description,
            analyzer=analyzer,
            chunker=chunker,
            embedding=embedding,
            statistics=statistics_of(statistics),
            fields=fields_of(field),
            profile=object_of("--profile", profile),
            exist_ok=exist_ok,
        )
    if json:
        write_json(made)
    else:
        cutter, embedded = made.profile["chunker"]["name"], made.profile.get("embedding")
        vectors = "no vectors" if embedded is None else f"vectors by {embedded['name']}"
        counted = "" if made.profile["statistics"] == "class" else ", statistics of the library"
        typer.echo(
            f"{library}: analyzer {made.analyzer}, chunker {cutter}, {vectors}{counted},"
            f" version {made.version} {made.state}"
        )
    for warning in made.warnings:
        say(warning)
