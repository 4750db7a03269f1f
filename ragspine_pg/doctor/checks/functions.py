"""The functions, each against a twin made from this release's file."""

import re
from importlib.resources import files

from ragspine_pg.doctor.check import Case, error, warning
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, Statement, fetch
from ragspine_pg.schema.privileges import GATE_FUNCTIONS
from ragspine_pg.statement.catalogue import query, read
from ragspine_pg.statement.render import render

_READ_SERVER = query("doctor_read_server")
_COMPARE_FUNCTIONS = query("doctor_compare_functions")
_FIND_FOREIGN_DEFINERS = query("doctor_find_foreign_definers")

_CREATE = re.compile(r"^CREATE FUNCTION ragspine\.(?=\w+\s*\()", re.MULTILINE)
_COMMENT = re.compile(r"^COMMENT ON FUNCTION .*", re.MULTILINE | re.DOTALL)

_RESTORE = "as the owner, run its statement of `ragspine-pg sql base:head` with CREATE OR REPLACE"


def functions(case: Case) -> Flow[list[Finding]]:
    """Body, arguments, volatility, security and settings are those of the file; no other function lies beside them."""
    ((_, _, _, vector_schema),) = yield from fetch(_READ_SERVER)
    yield from make_twin("SET LOCAL check_function_bodies = off")  # a twin's body names functions that are no twins
    for name in sorted(names()):
        text = render(read("functions", name), vector_schema or "public")
        yield from make_twin(_CREATE.sub("CREATE FUNCTION pg_temp.", _COMMENT.sub("", text), count=1))
    rows = yield from fetch(_COMPARE_FUNCTIONS)
    owners = yield from fetch(_FIND_FOREIGN_DEFINERS, gate_functions=list(GATE_FUNCTIONS))
    findings = [_finding(label, how) for label, how in rows]
    return findings + [
        error(
            f"function {name} is owned by {owner}, not by the owner of schema ragspine",
            "make the owner of the schema its owner: a SECURITY DEFINER function acts with its owner's rights",
        )
        for name, owner in owners
    ]


def names() -> set[str]:
    """The functions of this release, by the files that hold them."""
    folder = files("ragspine_pg._sql") / "functions"
    return {entry.name.removesuffix(".sql") for entry in folder.iterdir() if entry.name.endswith(".sql")}


def _finding(label: str, how: str) -> Finding:
    match how:
        case "missing":
            return error(f"function {label} is missing", _RESTORE)
        case "stray":
            return warning(f"function {label} is none of ours", f"DROP FUNCTION ragspine.{label}")
        case _:
            return error(f"function {label} is not this release's: it was changed", _RESTORE)


def make_twin(text: str) -> Flow[None]:
    """Run a statement that has no parameters."""
    yield from fetch(Statement("doctor_make_twin", text.replace("%", "%%"), tuple))
