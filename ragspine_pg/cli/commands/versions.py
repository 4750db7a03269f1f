"""``versions``, ``rebuild``, ``publish`` and ``rollback``: how a library's documents are indexed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.table import Table

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import (
    AnalyzerOption,
    ChunkerOption,
    EmbeddingOption,
    JsonOption,
    LibraryArgument,
    ProfileOption,
    StatisticsOption,
    object_of,
    one_library,
    statistics_of,
)
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import INTERRUPTED, Mistake, say
from ragspine_pg.cli.progress import Shown, shown_progress
from ragspine_pg.cli.terminal import counted, one_line, output, plain, styled, write_json
from ragspine_pg.contract.ingest import VersionInfo
from ragspine_pg.ingest.library import PROFILE_KEYS

_NUMBERS = ("version", "pending", "k1", "b", "pivot")


@command("versions", panel="Upkeep")
def versions(connection: Connection, library: LibraryArgument, json: JsonOption = False) -> None:
    """List a library's index versions, newest first, and how many documents each still lacks (--json: all of it)."""
    place = one_library(library)
    with connection.ingestor() as ingestor:
        found = ingestor.versions(place.tenant, place.library)
    if json:
        write_json({"tenant": place.tenant, "library_id": place.library, "versions": found})
        return
    table = Table(box=None, pad_edge=False)
    # What 80 columns have no room for is shown where it says something.
    whole = any(version.profile["statistics"] != "class" for version in found)
    names = ["version", "state", "pending", "analyzer", "chunker", "embedding", "k1", "b", "pivot", "published"]
    for name in [*names, *(["statistics"] if whole else [])]:
        table.add_column(name, justify="right" if name in _NUMBERS else "left")
    for version in found:
        published = version.published_at
        table.add_row(
            str(version.version),
            version.state,
            f"{version.pending:,}",
            version.analyzer,
            styled(_name(version, "chunker")),
            styled(_name(version, "embedding") or "none"),
            f"{version.k1:g}",
            f"{version.b:g}",
            f"{version.pivot:g}",
            "" if published is None else f"{published:%Y-%m-%d %H:%M}",
            *([version.profile["statistics"]] if whole else []),
        )
    output().print(table)


def _name(version: VersionInfo, part: str) -> str:
    said = version.profile.get(part)
    return str(said.get("name", "")) if isinstance(said, dict) else ""


@command("rebuild", panel="Upkeep")
def rebuild(
    connection: Connection,
    library: LibraryArgument,
    analyzer: AnalyzerOption = None,
    chunker: ChunkerOption = None,
    embedding: EmbeddingOption = None,
    statistics: StatisticsOption = None,
    profile: ProfileOption = None,
    publish: Annotated[bool, typer.Option("--publish", help="Publish the version once it is verified.")] = False,
    json: JsonOption = False,
) -> None:
    """Index a library's stored documents anew, in a version of its own; what is not named stays as it is.

    Searches and writes go on meanwhile. Interrupted, it goes on where it was when the same command is run again.
    """
    place = one_library(library)
    changes: dict[str, Any] = dict(object_of("--profile", profile) or {})
    unknown = sorted(changes.keys() - set(PROFILE_KEYS))
    if unknown:
        raise Mistake(f"--profile sets {', '.join(PROFILE_KEYS)}, not {', '.join(map(ascii, unknown))}")
    with connection.ingestor() as ingestor:
        with _interruptible("what is published is untouched") as progress:
            done = ingestor.rebuild(
                place.tenant,
                place.library,
                analyzer=analyzer,
                chunker=chunker,
                embedding=embedding,
                statistics=statistics_of(statistics),
                progress=progress,
                **changes,
            )
        published = None
        if publish:
            with _interruptible("the version is verified, and published or not") as progress:
                published = ingestor.publish(place.tenant, place.library, done.version, progress=progress)
    if json:
        write_json({**plain(done), "state": "verified" if published is None else published.state})
        return
    went_on = ", going on with what an earlier call began" if done.resumed else ""
    typer.echo(
        f"{one_line(library)}: version {done.version} took in {counted(done.documents, 'document')}"
        f" ({counted(done.chunks, 'chunk')}) in {done.seconds:.1f} s{went_on}, and is verified"
    )
    if published is None and done.pending:
        typer.echo(f"it lacks {counted(done.pending, 'document')} stored or changed meanwhile; publish puts them in")
    if published is None:
        typer.echo(f"to search it: ragspine-pg publish {one_line(library)} {done.version}")
    else:
        _tell(library, published)


@command("publish", panel="Upkeep")
def publish(
    connection: Connection,
    library: LibraryArgument,
    version: Annotated[int, typer.Argument(metavar="VERSION", help="Its number, as `versions` lists it.")],
    json: JsonOption = False,
) -> None:
    """Make a verified or retired version the one that is searched; searches change over at once."""
    place = one_library(library)
    with connection.ingestor() as ingestor, _interruptible("the version is published or not") as progress:
        done = ingestor.publish(place.tenant, place.library, version, progress=progress)
    _write(library, done, json=json)


@command("rollback", panel="Upkeep")
def rollback(connection: Connection, library: LibraryArgument, json: JsonOption = False) -> None:
    """Publish the version that was published before, with the documents of today; a second time undoes the first."""
    place = one_library(library)
    with connection.ingestor() as ingestor, _interruptible("the version is published or not") as progress:
        done = ingestor.rollback(place.tenant, place.library, progress=progress)
    _write(library, done, json=json)


@contextmanager
def _interruptible(state: str) -> Iterator[Shown]:
    """Progress on stderr; Ctrl-C says how things stand."""
    with shown_progress() as progress:
        try:
            yield progress
        except KeyboardInterrupt:
            progress.close()
            say(f"interrupted: {state}; the same command goes on where it was")
            raise typer.Exit(INTERRUPTED) from None


def _write(library: str, done: VersionInfo, *, json: bool) -> None:
    if json:
        write_json(done)
    else:
        _tell(library, done)


def _tell(library: str, done: VersionInfo) -> None:
    typer.echo(f"{one_line(library)}: version {done.version} is published")
    for warning in done.warnings:
        say(warning)
