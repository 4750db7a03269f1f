"""Settings that are kept in the database and with which sessions of our logins begin."""

from ragspine_pg.doctor.check import Case, error
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

_LIST_KEPT_SETTINGS = query("doctor_list_kept_settings")


def kept(case: Case) -> Flow[list[Finding]]:
    """None of ours, and none that has every search fail; what else a login keeps for itself is said.

    A login may set them for itself, so that one that strangers had may keep what they left. Values are not shown.
    """
    logins = sorted(set(case.installation.users.values()))
    rows = yield from fetch(_LIST_KEPT_SETTINGS, logins=logins)
    findings = []
    for name, harmful, role, here, reset in rows:
        who = f"role {role}" if role is not None else "every role"
        what = f"{who} begins each session{' in this database' if here else ''} with a setting of {name}"
        if not harmful:
            findings.append(Finding("ok", what, f"if it is none of yours: {reset}"))
        elif name == "row_security":
            findings.append(error(f"{what}, off: what row-level security binds fails", reset))
        else:
            findings.append(error(f"{what}, which is for single transactions: who asks is theirs to say", reset))
    return findings
