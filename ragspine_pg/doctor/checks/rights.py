"""Rights in the database against the table of rights in the code."""

from collections import defaultdict
from collections.abc import Iterator

from ragspine_pg.doctor.check import MIGRATE, Case, error, warning
from ragspine_pg.doctor.checks.roles import quoted
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.privileges import FUNCTIONS, RELATIONS, ROLES, SEQUENCES
from ragspine_pg.statement.catalogue import query

_LIST_RIGHTS = query("doctor_list_rights")
_LIST_FUNCTIONS = query("doctor_list_functions", str)
_LIST_GROUPS = query("doctor_list_groups")

Right = tuple[str, str, str, str]  # kind, name, role, privilege


def rights(case: Case) -> Flow[list[Finding]]:
    """Nobody has a right that the table does not give, and nobody lacks one that it gives."""
    rows = yield from fetch(_LIST_RIGHTS)
    functions = set((yield from fetch(_LIST_FUNCTIONS)))
    groups = yield from fetch(_LIST_GROUPS, groups=list(ROLES))
    present = {name for name, _ in groups}
    found = {(kind, name, role, privilege) for kind, name, role, privilege, _ in rows}
    wanted = {right for right in _table() if right[2] in present and (right[0] != "function" or right[1] in functions)}
    findings = _excesses(found - wanted)
    findings += [
        error(f"{role} lacks {privilege} on {kind} {name}", MIGRATE)
        for kind, name, role, privilege in sorted(wanted - found)
    ]
    findings += [
        error(f"{role} may hand on {privilege} on {kind} {name}", MIGRATE)
        for kind, name, role, privilege, grantable in rows
        if grantable and (kind, name, role, privilege) in wanted
    ]
    return findings


def _excesses(rights: set[Right]) -> list[Finding]:
    """One finding for a role that has a right on all tables, and one each for the rest."""
    on: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for kind, name, role, privilege in rights:
        if kind == "table":
            on[role, privilege].add(name)
    everywhere = {key for key, tables in on.items() if tables >= RELATIONS.keys()}
    whole: defaultdict[str, list[str]] = defaultdict(list)
    for role, privilege in sorted(everywhere):
        whole[role].append(privilege)
    findings = []
    for role, privileges in whole.items():
        what = f"{role} has {', '.join(privileges)} on all tables, which nothing of ours grants"
        revoke = f"REVOKE {', '.join(privileges)} ON ALL TABLES IN SCHEMA ragspine FROM {quoted(role)}"
        findings.append(error(what, MIGRATE if role in (*ROLES, "PUBLIC") else revoke))
    rest = [right for right in rights if right[0] != "table" or (right[2], right[3]) not in everywhere]
    return findings + [_excess(*right) for right in sorted(rest)]


def _excess(kind: str, name: str, role: str, privilege: str) -> Finding:
    if kind.startswith("default"):
        where, of = (" IN SCHEMA ragspine", "in schema ragspine") if kind == "default" else ("", "of the owner")
        what = f"new {name} {of} will give {privilege} to {role}"
        revoke = f"ALTER DEFAULT PRIVILEGES{where} REVOKE {privilege} ON {name.upper()} FROM {quoted(role)}"
        return warning(what, f"as who has set it: {revoke}")
    what = f"{role} has {privilege} on {kind} {name}, which nothing of ours grants"
    if role in (*ROLES, "PUBLIC"):
        return error(what, MIGRATE)
    shown = f"({name.partition('.')[2]}) ON ragspine.{name.partition('.')[0]}" if kind == "column" else ""
    on = shown or (f"ON {kind.upper()} ragspine" + ("" if kind == "schema" else f".{name}"))
    # On tables it is for every role what it is for the reader at hand: who holds it reads past every function of ours.
    return (error if kind in ("table", "column") else warning)(what, f"REVOKE {privilege} {on} FROM {quoted(role)}")


def _table() -> Iterator[Right]:
    for role in ROLES:
        yield "schema", "ragspine", role, "USAGE"
    for kind, table in (("table", RELATIONS), ("sequence", SEQUENCES)):
        for name, of in table.items():
            for role, privileges in of.items():
                yield from ((kind, name, role, privilege) for privilege in privileges.split(", "))
    for name, roles in FUNCTIONS.items():
        yield from (("function", name, role, "EXECUTE") for role in roles)
