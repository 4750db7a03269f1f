"""The role that owns the functions which hand out text, so that row-level security stands behind them."""

from ragspine_pg.doctor.check import MIGRATE, Case, error, fine, warning
from ragspine_pg.doctor.checks.roles import quoted
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.privileges import GATE, GATE_FUNCTIONS, INGEST
from ragspine_pg.statement.catalogue import query

_READ_GATE = query("doctor_read_gate")
_LIST_OWNERS = query("doctor_list_owners")

_NOT_BEHIND = "row-level security does not stand behind the functions that hand out text, their own conditions alone do"


def gate(case: Case) -> Flow[list[Finding]]:
    """It exists, owns its functions, is bound by the policies, and the schema's owner can replace its functions.

    ``row_security_active`` cannot be asked for another role, so what would unbind it is looked for instead.
    """
    ((owner, exists, can_login, can_give, free, unprotected),) = yield from fetch(_READ_GATE, gate=GATE, ingest=INGEST)
    owners = yield from fetch(_LIST_OWNERS, names=list(GATE_FUNCTIONS))
    grant = f"GRANT {GATE} TO {quoted(owner)} WITH INHERIT TRUE, SET TRUE"
    wanted = GATE if exists else quoted(owner)
    findings = [
        error(f"function {name} is owned by {other}", f"as a superuser: ALTER FUNCTION {name} OWNER TO {wanted}")
        for name, other in owners
        if other not in (GATE, owner)
    ]
    if not exists:
        fix = f"as an administrator: CREATE ROLE {GATE} NOLOGIN; {grant}; then, as {owner}, `ragspine-pg migrate`"
        return [*findings, warning(f"the role {GATE} does not exist: {_NOT_BEHIND}", fix)]
    if can_login:
        findings.append(error(f"the role {GATE} can log in, which is nobody's to do", f"ALTER ROLE {GATE} NOLOGIN"))
    findings += [_unbound(name) for name in free]
    for table in unprotected:
        fix = f"ALTER TABLE ragspine.{table} ENABLE ROW LEVEL SECURITY"
        findings.append(error(f"{GATE} reads table {table}, where row-level security is off", fix))
    left = [function for function, found in owners if found == owner != GATE]
    if left:
        what = f"{', '.join(left)} are not {GATE}'s but {owner}'s: {_NOT_BEHIND}"
        findings.append(warning(what, MIGRATE if can_give else f"as an administrator: {grant}; then {MIGRATE}"))
    if not can_give and len(left) < len(owners):
        what = f"{owner} is no member of {GATE} with INHERIT and SET, so it can no longer migrate its functions"
        findings.append(error(what, f"as an administrator: {grant}"))
    return findings or [fine(f"{GATE} owns them, and nothing frees it from the policies")]


def _unbound(name: str) -> Finding:
    if name == GATE:
        what = f"the role {GATE} is a superuser, bypasses row-level security or owns tables: policies do not bind it"
        fix = f"ALTER ROLE {GATE} NOSUPERUSER NOBYPASSRLS, and give what it owns, but its functions, to the owner"
        return error(what, fix)
    what = f"the role {GATE} is a member of {name}, whom the policies do not bind"
    return error(what, f"REVOKE {quoted(name)} FROM {GATE}")
