"""Group roles, who is a member of them, and what each login may do besides."""

from ragspine_pg.doctor.check import Case, error, fine, warning
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.doctor.installation import Login
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.privileges import INGEST, READER, ROLES
from ragspine_pg.statement.catalogue import query

_LIST_GROUPS = query("doctor_list_groups")
_LIST_MEMBERS = query("doctor_list_members")
_READ_LOGIN = query("doctor_read_login")
_LIST_UNBOUND = query("doctor_list_unbound", str)

_GROUP_OF: dict[Login, str] = {"reader": READER, "ingest": INGEST}


def groups(case: Case) -> Flow[list[Finding]]:
    """Both groups exist; none of them is a login itself."""
    rows = yield from fetch(_LIST_GROUPS, groups=list(ROLES))
    found = dict(rows)
    findings = []
    for role in ROLES:
        fix = f"let a privileged login run `CREATE ROLE {role} NOLOGIN`, then run `ragspine-pg migrate` as the owner"
        if role not in found and case.installation.single_login:
            findings.append(warning(f"the group role {role} does not exist: only the owner can work", fix))
        elif role not in found:
            findings.append(error(f"the group role {role} does not exist, so no login can have its authority", fix))
        elif found[role]:
            findings.append(warning(f"the group role {role} can log in itself", f"ALTER ROLE {role} NOLOGIN"))
    return findings


def members(case: Case) -> Flow[list[Finding]]:
    """Every member of a group, whether it is one of the logins at hand or not."""
    rows = yield from fetch(_LIST_MEMBERS, groups=list(ROLES))
    findings = []
    for name, can_login, is_super, bypasses, is_owner, of in rows:
        role = _quoted(name)
        if name in ROLES:
            for other in sorted(set(of) - {name}):
                fix = f"REVOKE {other} FROM {name}"
                findings.append(error(f"the group role {name} is a member of {other}: its logins are, too", fix))
            continue
        if not can_login:
            continue
        if is_super or bypasses:
            why = "a superuser" if is_super else "allowed to bypass row-level security"
            findings.append(
                error(
                    f"role {name}, a member of {' and '.join(of)}, is {why}: nothing binds it",
                    f"ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS",
                )
            )
        if len(of) > 1:
            fix = f"REVOKE {INGEST} FROM {role}, and give another login to what writes"
            findings.append(error(f"role {name} is a member of both groups: who searches could write", fix))
        if is_owner and not case.installation.single_login:
            fix = f"REVOKE {', '.join(of)} FROM {role}, and make a login of its own for that"
            findings.append(error(f"role {name}, a member of {' and '.join(of)}, owns schema ragspine", fix))
    return findings


def login(case: Case) -> Flow[list[Finding]]:
    """One of the logins at hand: its group, no other authority, and what it needs besides."""
    ((name, is_super, bypasses, owns, temporary, _),) = yield from fetch(_READ_LOGIN)
    rows = yield from fetch(_LIST_MEMBERS, groups=list(ROLES))
    of: list[str] = next((found for member, *_, found in rows if member == name), [])
    which, role = f"the {case.login} login, role {name},", _quoted(name)
    findings = []
    if case.installation.single_login and case.login != "owner":
        return []  # one login for everything; that it is weaker is said once
    if case.login == "owner":
        if is_super:
            fix = "migrate as a plain owner of the database: nothing of ours needs a superuser"
            findings.append(warning(f"{which} is a superuser", fix))
        elif not owns:
            fix = "name the role that owns schema ragspine by RAGSPINE_OWNER_URL"
            findings.append(error(f"{which} does not own schema ragspine, so it cannot migrate", fix))
        return findings
    if is_super or bypasses:
        why = "is a superuser" if is_super else "may bypass row-level security"
        fix = f"ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS, or name another login"
        findings.append(error(f"{which} {why}", fix))
    elif owns:
        findings.append(error(f"{which} owns schema ragspine, or may become its owner", "name another login"))
    wanted = _GROUP_OF[case.login]
    if wanted not in of:
        findings.append(error(f"{which} is no member of {wanted}", f"GRANT {wanted} TO {role}"))
    findings += [
        error(f"{which} is a member of {group}, too", f"REVOKE {group} FROM {role}") for group in of if group != wanted
    ]
    if case.login == "ingest" and not temporary:
        fix = "as the owner of the database: GRANT TEMPORARY ON DATABASE <this one> TO ragspine_ingest"
        findings.append(error(f"{which} may not make temporary tables, which an ingest needs", fix))
    return findings


def backstop(case: Case) -> Flow[list[Finding]]:
    """Row-level security is active for the reader, on every table that it may read."""
    unbound = yield from fetch(_LIST_UNBOUND)
    if not unbound:
        return [fine("it is active on every table that this login may read")]
    what = f"row-level security does not bind role {case.installation.users[case.login]} on {', '.join(unbound)}"
    fix = f"search with a login that is a member of {READER} alone"
    return [warning(what, fix) if case.installation.single_login else error(what, fix)]


def temporary(case: Case) -> Flow[list[Finding]]:
    """TEMPORARY is everybody's by default; a reader has no use for it."""
    ((*_, everybody),) = yield from fetch(_READ_LOGIN)
    if not everybody:
        return []
    return [
        warning(
            "everybody may make temporary tables in this database, readers included",
            "as the owner of the database: REVOKE TEMPORARY ON DATABASE <this one> FROM PUBLIC; GRANT TEMPORARY ON"
            f" DATABASE <this one> TO {INGEST}",
        )
    ]


def _quoted(name: str) -> str:
    return name if name.isidentifier() and name.islower() else '"' + name.replace('"', '""') + '"'
