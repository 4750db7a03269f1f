"""``search`` and ``explain``."""

from typing import Annotated, Any

import typer

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import (
    AsOption,
    FusionOption,
    JsonOption,
    LibraryArgument,
    access_of,
    filter_of,
    fusion_of,
    object_of,
    one_library,
    some_libraries,
)
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import say
from ragspine_pg.cli.passages import show_explanation, show_result
from ragspine_pg.cli.terminal import output, plain, write_json
from ragspine_pg.contract.metadata import load_json
from ragspine_pg.contract.result import SearchResult

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", show_default=False)]
FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        metavar="JSON",
        help='On metadata: {"field": "year", "op": "gte", "value": 2024}, {"all_of": [...]}.',
    ),
]
ModeOption = Annotated[str | None, typer.Option(metavar="M", help="auto, economy, vector or hybrid.")]
MinScoreOption = Annotated[float | None, typer.Option(metavar="S", help="The least score of a leg.")]

_UNREADABLE = (
    "there is no such tenant or library, or nothing in it that these principals may read; which of the two, a search"
    " never tells. `ragspine-pg libraries` lists what there is, with the ingest login; --as says who asks"
)
_NOBODY = "nobody asks, so nothing is readable: say who does by --as PRINCIPAL, for example --as group:staff"


@command("search", panel="Search")
def search(
    connection: Connection,
    place: Annotated[str, typer.Argument(metavar="TENANT[/LIBRARY,...]", show_default=False)],
    query: QueryArgument,
    principals: AsOption = None,
    k: Annotated[int, typer.Option("-k", "--k", metavar="N", help="How many passages, at most 1000.")] = 10,
    mode: ModeOption = None,
    metadata_filter: FilterOption = None,
    expand: Annotated[str | None, typer.Option(metavar="parent", help="Show each passage's parent window.")] = None,
    min_score: MinScoreOption = None,
    fusion: FusionOption = None,
    weights: Annotated[
        str | None, typer.Option(metavar="JSON", help='Of the legs where both run: {"lexical": 1, "vector": 2}.')
    ] = None,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on where a result ended: its `cursor` in --json.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what was looked for, and how.")] = False,
    json: JsonOption = False,
) -> None:
    """Search as somebody: the best passages that the principals may read, each with its citation."""
    where = some_libraries(place)
    access = access_of(where.tenant, principals)
    narrowed = filter_of(metadata_filter)
    weighed = object_of("--weights", weights)
    if not principals:
        say(_NOBODY)
    with connection.spine() as spine:
        result = spine.search(
            query,
            access=access,
            libraries=where.libraries or None,
            k=k,
            mode=mode,
            metadata_filter=narrowed,
            expand=expand,
            min_score=min_score,
            fusion=fusion_of(fusion),
            weights=weighed,
            after=after,
            explain=explain,
        )
    if json:
        write_json(_whole(result))
    else:
        show_result(output(), result)
        if principals and result.reason == "nothing_readable":
            say(_UNREADABLE)


@command("explain", panel="Search")
def explain(
    connection: Connection,
    library: LibraryArgument,
    query: QueryArgument,
    document: Annotated[str, typer.Option("--document", metavar="ID", help="Whose fate to explain.")],
    principals: AsOption = None,
    k: Annotated[int, typer.Option("-k", "--k", metavar="N", help="What counts as found.")] = 10,
    mode: ModeOption = None,
    metadata_filter: FilterOption = None,
    min_score: MinScoreOption = None,
    caller_only: Annotated[
        bool, typer.Option("--caller-only", help="Only what the caller may know; else the ingest login is asked too.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Why a document ranks where it does in a search, or why it is not there."""
    place = one_library(library)
    access = access_of(place.tenant, principals)
    narrowed = filter_of(metadata_filter)
    if not principals:
        say(_NOBODY)
    with connection.spine() as spine:
        told = spine.explain(
            query,
            access=access,
            library_id=place.library,
            document_id=document,
            k=k,
            mode=mode,
            metadata_filter=narrowed,
            min_score=min_score,
        )
        in_full = None
        if not caller_only and (connection.is_embedded or connection.single_login or connection.config.ingest_url):
            in_full = spine.ingestor.explain_rights(told, access)
    if json:
        told_to = None if in_full is None else {"verdict": in_full.verdict, "detail": in_full.detail}
        write_json({**plain(told), "administrator": told_to})
    else:
        show_explanation(output(), told, in_full)


def _whole(result: SearchResult) -> dict[str, Any]:
    whole: dict[str, Any] = {**load_json(result.to_json()), "usage": plain(result.usage)}
    return whole if result.trace is None else {**whole, "trace": plain(result.trace)}
