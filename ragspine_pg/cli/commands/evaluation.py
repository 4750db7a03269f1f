"""``evaluate``: searches a judged collection and measures the rankings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import (
    AnalyzerOption,
    AsOption,
    ChunkerOption,
    FusionOption,
    JsonOption,
    ProfileOption,
    access_of,
    fusion_of,
    object_of,
    one_library,
)
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import Mistake, say
from ragspine_pg.cli.progress import shown_progress
from ragspine_pg.cli.terminal import counted, one_line, output, styled, write_json
from ragspine_pg.embedding.registry import EMBEDDING_MODELS

if TYPE_CHECKING:
    from ragspine_pg.evaluation import EvaluationReport


@command("evaluate", panel="Evaluation")
def run(
    connection: Connection,
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET_DIR",
            help="A folder of corpus.jsonl[.gz] (as for ingest), queries.jsonl[.gz] (lines of id and text), and"
            " qrels.tsv (query id, document id, grade).",
        ),
    ],
    library: Annotated[
        str | None,
        typer.Option(metavar="TENANT/LIBRARY", help="Yours, measured as it is; else a scratch library, dropped."),
    ] = None,
    principals: AsOption = None,
    mode: Annotated[str | None, typer.Option(metavar="M", help="auto, economy, vector or hybrid.")] = None,
    fusion: FusionOption = None,
    embedding: Annotated[
        str | None,
        typer.Option(
            metavar="E",
            help=f"A model ({', '.join(EMBEDDING_MODELS)}), or precomputed:NAME for the folder's vectors-NAME.npz (of"
            " whole documents).",
        ),
    ] = None,
    chunker: ChunkerOption = None,
    analyzer: AnalyzerOption = None,
    profile: ProfileOption = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the scratch library, and use it again next time.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a report to look at.")] = None,
    json: JsonOption = False,
) -> None:
    """Search every query of a judged dataset and measure the rankings; a document ranks by its best chunk."""
    from ragspine_pg.evaluation import evaluate, load_dataset, write_report

    place = None if library is None else one_library(library)
    if principals and place is None:
        raise Mistake("--as says who searches a library of yours: give --library TENANT/LIBRARY too")
    options = object_of("--profile", profile)
    if report is not None and not report.absolute().parent.is_dir():
        raise Mistake(f"--report: there is no folder {report.absolute().parent}")
    judged = load_dataset(dataset)
    with connection.spine() as spine, shown_progress() as progress:
        found = evaluate(
            spine,
            judged,
            library=None if place is None else spine.library(place.tenant, place.library),
            access=access_of(place.tenant, principals) if place is not None and principals else None,
            mode=mode,
            fusion=fusion_of(fusion),
            embedding=embedding,
            chunker=chunker,
            analyzer=analyzer,
            profile=options,
            keep=keep,
            progress=progress,
        )
    for warning in found.warnings:
        say(f"warning: {warning}")
    if report is not None:
        write_report(found, report)
        say(f"the report is in {one_line(str(report))}")
    if json:
        write_json(found.to_json())
    else:
        _show(output(), found)


def _show(console: Console, found: "EvaluationReport") -> None:
    console.print(
        styled(
            (found.dataset, "bold"),
            f" · {found.mode} · {found.queries:,} {'query' if found.queries == 1 else 'queries'}"
            f" · {counted(found.documents, 'document')} · {counted(found.chunks, 'chunk')}",
        )
    )
    if found.left_out:
        console.print(f"queries left out, having no precomputed vector: {found.left_out:,}")
    console.print(
        styled((f"{found.library} v{found.index_version} · dataset version {found.dataset_version[:12]}", "dim"))
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in found.metrics.items():
        table.add_row(name, f"{value:.4f}")
    for name, value in found.latency_ms.items():
        table.add_row(f"latency {name}", f"{value:.1f} ms")
    console.print(table)
