"""What is stored: its environment, its statistics, and the audit of every library."""

from collections.abc import Callable

from ragspine_pg.doctor.check import Case, Run, error, fine, warning
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.ingest.audit import audit as audit_library
from ragspine_pg.ingest.fold import FOLD_LIMIT
from ragspine_pg.ingest.target import find_target
from ragspine_pg.statement.catalogue import query

_LIST_LIBRARIES = query("doctor_list_libraries")
_LIST_FOREIGN_VERSIONS = query("doctor_list_foreign_versions")
_LIST_UNFOLDED = query("doctor_list_unfolded")


def environments(case: Case) -> Flow[list[Finding]]:
    """Stemming and case folding may differ under another server or locale: queries would miss what is stored."""
    rows = yield from fetch(_LIST_FOREIGN_VERSIONS)
    return [
        error(
            f"version {version} ({state}) of {tenant}/{library_id} was indexed under {then}, and this server is {now}",
            "index it again: create another library with the same settings and ingest its documents into it",
        )
        for tenant, library_id, version, state, then, now in rows
    ]


def unfolded(case: Case) -> Flow[list[Finding]]:
    """Sums of many rows are right, and slow."""
    rows = yield from fetch(_LIST_UNFOLDED, limit=FOLD_LIMIT)
    return [
        warning(
            f"a statistic of {tenant}/{library_id} is a sum of {count:,} rows, which slows down its queries",
            f"run `ragspine-pg optimize {tenant}/{library_id}`",
        )
        for tenant, library_id, count in rows
    ]


def make_audit(deep: bool, say: Callable[[str], None]) -> Run:
    """The audit of every library; ``say`` is told which one comes next."""
    return lambda _: _audit(deep, say)


def _audit(deep: bool, say: Callable[[str], None]) -> Flow[list[Finding]]:
    libraries = yield from fetch(_LIST_LIBRARIES)
    findings = []
    for tenant, library_id, published in libraries:
        name = f"{tenant}/{library_id}"
        if published != 1:
            what = f"{name} has {published} published versions, so it cannot be searched"
            findings.append(error(what, "restore a backup, or delete the library's rows and ingest again"))
            continue
        say(f"audit of {name}")
        target = yield from find_target(tenant, library_id)
        for found in (yield from audit_library(target, deep=deep)):
            findings.append(
                error(
                    f"{name}, {found.where}: {found.count:,} rows break the rule that {found.rule}",
                    f"find out what wrote past the package, and ingest the documents of {name} into a new library",
                )
            )
    return findings or [fine(f"{len(libraries):,} librar{'y' if len(libraries) == 1 else 'ies'}")]
