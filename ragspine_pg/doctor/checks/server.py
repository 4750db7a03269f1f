"""The server's version, pgvector's, its clock, and what its counters and its log tell."""

import re

from ragspine_pg.doctor.check import Case, error, fine, warning
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

OLDEST_SERVER = 16
OLDEST_VECTOR = (0, 8)
MOST_SKEW_SECONDS = 5.0

_READ_SERVER = query("doctor_read_server")
_READ_CLOCK = query("doctor_read_clock", float)
_LIST_COUNTERS = query("doctor_list_counters", str)
_READ_LOGGING = query("doctor_read_logging")

_QUIET = ("log", "fatal", "panic")  # of log_min_error_statement: no failing statement is written


def versions(case: Case) -> Flow[list[Finding]]:
    """PostgreSQL 16 or newer with pgvector 0.8 or newer."""
    ((number, shown, vector, schema),) = yield from fetch(_READ_SERVER)
    return judge(number, shown, vector, schema)


def judge(number: int, shown: str, vector: str | None, schema: str | None) -> list[Finding]:
    """The verdict on ``server_version_num``, and on pgvector's version and schema."""
    findings = []
    if number < OLDEST_SERVER * 10_000:
        findings.append(
            error(f"the server is PostgreSQL {shown}", f"upgrade it to PostgreSQL {OLDEST_SERVER} or newer")
        )
    if vector is None:
        findings.append(
            error("extension vector is not installed in this database", "run `CREATE EXTENSION vector`, then migrate")
        )
    elif tuple(int(part) for part in re.findall(r"\d+", vector)[:2]) < OLDEST_VECTOR:
        findings.append(
            error(
                f"extension vector is at version {vector}",
                "install pgvector 0.8 or newer on the server, then run `ALTER EXTENSION vector UPDATE`",
            )
        )
    return findings or [fine(f"PostgreSQL {shown}, pgvector {vector} in schema {schema}")]


def clock(case: Case) -> Flow[list[Finding]]:
    """Grants expire by the server's clock and are signed by this host's."""
    before = case.installation.clock()
    (there,) = yield from fetch(_READ_CLOCK)
    after = case.installation.clock()
    skew = there - (before + after) / 2
    if abs(skew) <= MOST_SKEW_SECONDS + (after - before) / 2:
        return [fine(f"they differ by {abs(skew):.1f} s")]
    where = "ahead of" if skew > 0 else "behind"
    return [
        warning(
            f"the server's clock is {abs(skew):.0f} s {where} this host's: grants, signed here for a minute, last"
            f" {'shorter' if skew > 0 else 'longer'} than they say",
            "synchronise both clocks (NTP)",
        )
    ]


def counters(case: Case) -> Flow[list[Finding]]:
    """A transaction's own counters tell how many rows a function looked at, those it held back included."""
    found = yield from fetch(_LIST_COUNTERS)
    if not found:
        return []
    return [
        warning(
            f"everybody may read the counters of single tables and indexes ({found[0]} and {len(found) - 1} more): who"
            " can send SQL as a reader sees by them how many rows a search looked at, hidden ones included",
            "run docker/harden.sql by psql as a superuser, or the second of its parts (docs/guide/hosting.md, Roles)",
        )
    ]


def log(case: Case) -> Flow[list[Finding]]:
    """Whether details of errors, statements that fail, and parameters get into the server's log. A choice, no fault."""
    ((verbosity, statements, parameters, failing),) = yield from fetch(_READ_LOGGING)
    told = []
    if verbosity != "terse":
        told.append(("the details of errors, which can quote values", "log_error_verbosity = terse"))
    if statements not in _QUIET:
        told.append(("statements that fail, with the literals in them", "log_min_error_statement = panic"))
    if parameters:
        told.append(("the parameters of statements: texts, queries and grants", "log_parameter_max_length = 0"))
    if failing:
        told.append(("the parameters of statements that fail", "log_parameter_max_length_on_error = 0"))
    if not told:
        return []
    return [
        Finding(
            "ok",
            f"the server's log takes {' and '.join(what for what, _ in told)}",
            f"if the log may hold no text of queries and documents, set {' and '.join(how for _, how in told)}",
        )
    ]
