"""``libraries``, ``optimize``, ``stats`` and ``drop``: the administration of libraries."""

from typing import Annotated

import typer
from rich.table import Table

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import JsonOption, LibraryArgument, one_library, one_tenant
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import Mistake
from ragspine_pg.cli.terminal import counted, one_line, output, plain, styled, write_json
from ragspine_pg.contract.ingest import ClassStats


@command("libraries", panel="Upkeep")
def libraries(
    connection: Connection,
    tenant: Annotated[str | None, typer.Argument(metavar="[TENANT]", show_default=False)] = None,
    json: JsonOption = False,
) -> None:
    """List the libraries of a tenant, or of all tenants, with the ingest login."""
    name = None if tenant is None else one_tenant(tenant)
    with connection.ingestor() as ingestor:
        found = ingestor.libraries(name)
    if json:
        write_json({"libraries": found})
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("library", "documents", "version", "created", "description"):
        table.add_column(heading, justify="right" if heading in ("documents", "version") else "left")
    for library in found:
        table.add_row(
            styled(f"{library.tenant}/{library.library_id}"),
            f"{library.documents:,}",
            str(library.version),
            f"{library.created_at:%Y-%m-%d %H:%M}",
            styled(library.description),
        )
    output().print(table)


@command("drop", panel="Upkeep")
def drop(
    connection: Connection,
    library: LibraryArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it nothing is deleted.")] = False,
    json: JsonOption = False,
) -> None:
    """Delete a library with all its documents and versions, for good."""
    place = one_library(library)
    with connection.ingestor() as ingestor:
        if not yes:
            documents = ingestor.stats(place.tenant, place.library).documents
            raise Mistake(
                f"{library} holds {counted(documents, 'document')}, which would be gone for good: give --yes too"
            )
        documents = ingestor.drop_library(place.tenant, place.library)
    if json:
        write_json({"tenant": place.tenant, "library_id": place.library, "documents": documents})
    else:
        typer.echo(f"{one_line(library)}: dropped, with {counted(documents, 'document')}")


@command("optimize", panel="Upkeep")
def optimize(connection: Connection, library: LibraryArgument, json: JsonOption = False) -> None:
    """Fold what writes left behind, seal passages in postings, and build the vector index of a large library.

    The index needs the owner's login (--owner-database). Building it takes about a second for 2,000 vectors.
    """
    place = one_library(library)
    if connection.is_embedded:
        with connection.spine() as spine:
            done = spine.optimize(place.tenant, place.library)
    else:
        with connection.ingestor() as ingestor:
            done = ingestor.optimize(place.tenant, place.library)
        from ragspine_pg.client.opening import index_as

        done = index_as(connection.owner, done, place.tenant, place.library)
    if json:
        write_json(done)
        return
    typer.echo(f"{library}: {done.rows_before:,} rows of statistics folded into {done.rows_after:,}")
    if done.sealed_chunks:
        typer.echo(f"{library}: {counted(done.sealed_chunks, 'passage')} sealed in postings")
    if done.vector_index in ("built", "present"):
        typer.echo(f"{library}: vector index {done.vector_index}")


@command("stats", panel="Upkeep")
def stats(connection: Connection, library: LibraryArgument, json: JsonOption = False) -> None:
    """Show a library's numbers over all readers, for its administrator."""
    place = one_library(library)
    with connection.ingestor() as ingestor:
        found = ingestor.stats(place.tenant, place.library)
    if json:
        write_json({"tenant": place.tenant, "library_id": place.library, **plain(found)})
        return
    console = output()
    numbers = Table.grid(padding=(0, 2))
    numbers.add_column()
    numbers.add_column(justify="right")
    for name, value in (
        ("documents", found.documents),
        ("characters", found.characters),
        ("chunks", found.chunks),
        ("lexemes, repeated ones included", found.total_length),
        ("lexemes, different ones", found.lexemes),
        ("rows of statistics", found.statistic_rows),
    ):
        numbers.add_row(name, f"{value:,}")
    console.print(numbers)
    if found.classes:
        console.print()
        console.print(_classes(found.classes))


def _classes(classes: tuple[ClassStats, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("readers", "sensitivity"):
        table.add_column(name)
    for name in ("documents", "chunks", "lexemes"):
        table.add_column(name, justify="right")
    for item in classes:
        table.add_row(
            styled(_readers(item.readers)),
            item.sensitivity.value,
            f"{item.documents:,}",
            f"{item.chunks:,}",
            f"{item.total_length:,}",
        )
    return table


def _readers(readers: frozenset[str] | None) -> str:
    if readers is None:
        return "every member"
    return ", ".join(sorted(readers)) or "nobody"
