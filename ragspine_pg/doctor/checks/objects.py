"""The revision, and the tables with all that belongs to them."""

from collections.abc import Iterator

from ragspine_pg.doctor.check import Case, error, fine, warning
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.errors import SchemaError, SchemaMismatch
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.check import check_schema
from ragspine_pg.schema.revision import HEAD, VERSION_TABLE
from ragspine_pg.schema.tables import metadata
from ragspine_pg.statement.catalogue import query

_LIST_OBJECTS = query("doctor_list_objects")

_SAME = 55
_RESTORE = "restore it from `ragspine-pg sql base:head`, or restore a backup"


def revision(case: Case) -> Flow[list[Finding]]:
    """The database is at the revision this release needs."""
    try:
        yield from check_schema()
    except SchemaMismatch:
        pass  # the revision is right; the check of the build says the rest
    except SchemaError as failure:
        return [error(str(failure), "run `ragspine-pg migrate` as the owner of the database")]
    return [fine(f"revision {HEAD}")]


def objects(case: Case) -> Flow[list[Finding]]:
    """Names and validity; that a table is what its name says is the migrations' business."""
    rows = yield from fetch(_LIST_OBJECTS)
    found = {(kind, _short(name)) for kind, name, _ in rows}
    wanted = {(kind, _short(name)) for kind, name in _expected()}
    findings = [error(f"{kind} {name} is missing", _RESTORE) for kind, name in sorted(wanted - found)]
    findings += [error(f"{kind} {name}: {fault}", _fix(kind, name, fault)) for kind, name, fault in rows if fault]
    strays = sorted(name for kind, name in found - wanted if kind == "table")
    findings += [warning(f"table {name} is none of ours", f"move it out of schema ragspine: {name}") for name in strays]
    return findings


def _short(name: str) -> str:
    """The part of a name that is the same in the code and in the database, where one over 63 bytes ends in a hash."""
    table, dot, part = name.rpartition(".")
    return f"{table}{dot}{part[:_SAME]}"


def _fix(kind: str, name: str, fault: str) -> str:
    table, _, part = name.partition(".")
    if kind == "trigger":
        return f"ALTER TABLE ragspine.{table} ENABLE TRIGGER ALL (as a superuser), then run doctor again"
    if kind == "constraint":
        return f"ALTER TABLE ragspine.{table} VALIDATE CONSTRAINT {part}"
    if kind == "index":
        return f"REINDEX INDEX ragspine.{name}"
    return f"make the owner of the schema its owner, or migrate as one login ({fault})"


def _expected() -> Iterator[tuple[str, str]]:
    yield "table", VERSION_TABLE
    for table in metadata.tables.values():
        yield "table", table.name
        for column in table.columns:
            yield "column", f"{table.name}.{column.name}"
        for constraint in table.constraints:
            yield "constraint", f"{table.name}.{constraint.name}"
        for index in table.indexes:
            yield "index", str(index.name)
