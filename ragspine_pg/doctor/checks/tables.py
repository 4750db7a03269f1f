"""The tables, each against a twin made from this release's DDL, and which build made them."""

from ragspine_pg.doctor.check import Case, error, fine, warning
from ragspine_pg.doctor.checks.functions import make_twin
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.errors import SchemaMismatch
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.check import check_schema
from ragspine_pg.schema.ddl import twin_statements
from ragspine_pg.schema.revision import HEAD, STAMP, VERSION_TABLE
from ragspine_pg.statement.catalogue import query
from ragspine_pg.statement.render import render

_READ_SERVER = query("doctor_read_server")
_COMPARE_TABLES = query("doctor_compare_tables")

_RESTORE = "as the owner, make it as its table's statement in `ragspine-pg sql base:head` says, or restore a backup"


def build(case: Case) -> Flow[list[Finding]]:
    """Two builds of a revision that no release has fixed yet, or a schema put together by hand."""
    try:
        yield from check_schema()
    except SchemaMismatch:
        return [
            error(
                f"revision {HEAD} was made by another build of the package, so what it made may differ",
                "use the package that made it, or drop schema ragspine, migrate and ingest again; or mend what the"
                " checks below name, until they name nothing, and say so, as the owner:"
                f" COMMENT ON TABLE ragspine.{VERSION_TABLE} IS '{STAMP}'",
            )
        ]
    return [fine(STAMP)]


def tables(case: Case) -> Flow[list[Finding]]:
    """Types, defaults, conditions, keys and indexes are those of the release."""
    ((_, _, _, vector_schema),) = yield from fetch(_READ_SERVER)
    for statement in twin_statements():
        yield from make_twin(render(statement, vector_schema or "public"))
    rows = yield from fetch(_COMPARE_TABLES)
    return [
        warning(
            f"{kind} {label} is none of ours", f"drop it, unless it is yours and no insert of ours fails by it: {label}"
        )
        if how == "stray"
        else error(f"{kind} {label} is not this release's: it was changed", _RESTORE)
        for kind, label, how in rows
    ]
