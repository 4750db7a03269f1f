"""``ingest``, ``delete`` and ``relabel``: what changes the documents of a library."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import (
    JsonOption,
    LibraryArgument,
    ReadersOption,
    SensitivityOption,
    label_of,
    object_of,
    one_library,
    readers_of,
)
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import INTERRUPTED, Mistake, say
from ragspine_pg.cli.progress import Sources, shown_progress
from ragspine_pg.cli.terminal import counted, one_line, plain, write_json
from ragspine_pg.contract.ingest import UNCHANGED, IngestReport
from ragspine_pg.contract.readers import kindless_readers, readers_warning
from ragspine_pg.errors import IngestError, NotFound
from ragspine_pg.ingest.authorise import SkippedFile
from ragspine_pg.ingest.documents import changed, unsaid
from ragspine_pg.ingest.source import LISTED

_SHOWN_SKIPS = 20


@command("ingest", panel="Documents")
def ingest(
    connection: Connection,
    library: LibraryArgument,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Files and folders: Markdown, text, HTML, JSONL, .gz of each."),
    ],
    readers: ReadersOption = None,
    sensitivity: SensitivityOption = None,
    metadata: Annotated[
        str | None,
        typer.Option(
            metavar="JSON", help="Added to every document's, under its own keys; without it a file keeps what it has."
        ),
    ] = None,
    on_duplicate: Annotated[
        str, typer.Option(metavar="error|last", help="When one id comes twice: refuse, or keep the last.")
    ] = "error",
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out files and JSONL lines that cannot be read, and say which.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Store and index files and folders of documents, all of it or nothing; searchable when the command ends.

    A file says nothing of rights or metadata: a new one is INTERNAL and open to every member (as by --readers
    @members); one that is stored already keeps its readers, label and metadata, each unless --readers, --sensitivity or
    --metadata is given ('{}' takes the metadata away). What a JSONL line says of its own readers or label takes effect,
    whatever the options say: they are for files, and lines, that say nothing. A document's id is its path below the
    folder that is named.
    """
    place = one_library(library)
    rights: dict[str, object] = {} if readers is None else {"readers": readers_of(readers)}
    if sensitivity is not None:
        rights["sensitivity"] = label_of(sensitivity)
    added = object_of("--metadata", metadata)
    if on_duplicate not in ("error", "last"):
        raise Mistake("--on-duplicate is error or last")
    sources = Sources(paths, skip_bad=skip_bad)
    with _explained(sources):
        sources.require()
    with connection.ingestor() as ingestor, shown_progress(sources) as progress, _explained(sources):
        try:
            done = ingestor.ingest(
                place.tenant,
                place.library,
                (changed(document, unsaid(document, rights)) for document in sources.documents()),
                metadata=added,
                on_duplicate="last" if on_duplicate == "last" else "error",
                progress=progress,
            )
        except KeyboardInterrupt:
            progress.close()
            say(
                "interrupted while it was being committed: all of it is stored, or nothing; run the command again"
                if progress.committing
                else "interrupted: nothing was stored"
            )
            raise typer.Exit(INTERRUPTED) from None
    _list_bad(sources)
    if sources.bad_count and not done.documents:
        raise Mistake(f"nothing was stored: there is no document beside {_bad(sources)}")
    if json:
        files = {"skipped_files": sources.skipped, "bad_files": sources.bad}
        listed = {key: [{"path": str(f.path), "reason": f.reason} for f in value] for key, value in files.items()}
        write_json({**_counts(done), **listed, "bad_count": sources.bad_count})
        return
    for warning in done.warnings:
        say(f"warning: {one_line(warning)}")
    typer.echo(_told(library, done) + (f"; {_bad(sources)} skipped" if sources.bad_count else ""))
    skipped = [(item.document_id, item.reason) for item in done.skipped]
    skipped += [(str(file.path), file.reason) for file in sources.skipped]
    for name, reason in skipped[:_SHOWN_SKIPS]:
        say(f"skipped {one_line(name)}: {reason}")
    if len(skipped) > _SHOWN_SKIPS:
        say(f"skipped {len(skipped) - _SHOWN_SKIPS} more (--json lists all)")


@command("delete", panel="Documents")
def delete(
    connection: Connection,
    library: LibraryArgument,
    documents: Annotated[list[str], typer.Argument(metavar="DOCUMENT...", help="Document ids.")],
    missing_ok: Annotated[bool, typer.Option("--missing-ok", help="Accept an id that is not there.")] = False,
    json: JsonOption = False,
) -> None:
    """Delete documents from every version of a library, each in a transaction of its own."""
    place = one_library(library)
    deleted: list[str] = []
    missing: list[str] = []
    with connection.ingestor() as ingestor:
        for document in documents:
            found = ingestor.delete(place.tenant, place.library, document)
            (deleted if found else missing).append(document)
    if json:
        write_json({"deleted": deleted, "missing": missing})
    else:
        for document in deleted:
            typer.echo(f"deleted {one_line(document)}")
    if missing and not missing_ok:
        raise NotFound(f"there is no document {', '.join(missing)} in {library}; --missing-ok accepts that")


@command("relabel", panel="Documents")
def relabel(
    connection: Connection,
    library: LibraryArgument,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A document id.")],
    readers: ReadersOption = None,
    sensitivity: SensitivityOption = None,
    json: JsonOption = False,
) -> None:
    """Change who may read a document, or its label; in force when the command ends."""
    place = one_library(library)
    if readers is None and sensitivity is None:
        raise Mistake("say what changes: --readers, --sensitivity, or both")
    names = None if readers is None else readers_of(readers)
    with connection.ingestor() as ingestor:
        done = ingestor.relabel(
            place.tenant,
            place.library,
            document,
            readers=UNCHANGED if readers is None else names,
            sensitivity=UNCHANGED if sensitivity is None else sensitivity,
        )
    if kindless := kindless_readers(names or ()):
        say(f"warning: {one_line(readers_warning(kindless))}")
    if json:
        write_json({"document_id": document, "changed": done})
    else:
        typer.echo(f"{one_line(document)}: {'changed' if done else 'it was so already'}")


@contextmanager
def _explained(sources: Sources) -> Iterator[None]:
    """Say of each bad file what is wrong with it, instead of all in one line."""
    try:
        yield
    except IngestError as error:
        if not sources.bad_count or sources.skips_bad:
            raise
        what = _told_bad(sources.bad[0])
        if sources.bad_count > 1:
            _list_bad(sources)
            what = f"{sources.bad_count:,} files or lines cannot be read"
        raise Mistake(f"{what}; nothing was stored (--skip-bad leaves out what cannot be read)") from error


def _list_bad(sources: Sources) -> None:
    for file in sources.bad[:LISTED]:
        say(f"cannot be read: {_told_bad(file)}")
    if sources.bad_count > LISTED:
        say(f"cannot be read: {sources.bad_count - LISTED:,} more")


def _told_bad(file: SkippedFile) -> str:
    """The reason, with the path where it does not begin with it; a name cannot forge a line."""
    path = str(file.path).encode(errors="backslashreplace").decode()
    return one_line(file.reason if path in file.reason else f"{path}: {file.reason}")


def _bad(sources: Sources) -> str:
    return f"{sources.bad_count:,} bad {'file or line' if sources.bad_count == 1 else 'files or lines'}"


def _counts(done: IngestReport) -> dict[str, object]:
    return {"documents": done.documents, **plain(done)}


def _told(library: str, done: IngestReport) -> str:
    groups = [
        (done.added, "added"),
        (done.changed, "changed"),
        (done.relabelled, "relabelled"),
        (done.updated, "updated"),
        (done.unchanged, "unchanged"),
    ]
    parts = ", ".join(f"{count:,} {name}" for count, name in groups if count) or "nothing to store"
    rate = done.documents / done.seconds if done.seconds > 0 else 0.0
    return (
        f"{library}: {counted(done.documents, 'document')} ({parts}), {counted(done.chunks, 'chunk')} written,"
        f" {done.removed_chunks:,} removed, in {done.seconds:.1f} s ({rate:,.0f} documents/s)"
    )
