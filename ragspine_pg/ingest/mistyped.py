"""Values of declared fields that are of another type: they are stored as they were given, and no filter finds them."""

from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

_COUNT = query("ingest_count_mistyped")


def mistyped_warnings(target: Target) -> Flow[tuple[str, ...]]:
    """A sentence a field: its name, its type and in how many staged documents; no value.

    Of what is kept and of which of two documents counts, the stage must have been settled.
    """
    rows = yield from fetch(_COUNT, tenant_no=target.tenant_no, library_no=target.library_no)
    return tuple(
        f"field {name!r} is declared as {kind}, and {number:,} {'document has' if number == 1 else 'documents have'}"
        f" a value of another type there, which no filter of that type matches"
        for name, kind, number in rows
    )
