"""Group roles, who is a member of them, and what each login may do besides."""

from ragspine_pg.contract.setting import variable
from ragspine_pg.doctor.check import Case, error, fine, warning
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.doctor.installation import SETTINGS, Login
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.privileges import GATE, INGEST, LOGIN_GROUPS, READER, ROLES
from ragspine_pg.statement.catalogue import query

_LIST_GROUPS = query("doctor_list_groups")
_LIST_MEMBERS = query("doctor_list_members")
_READ_LOGIN = query("doctor_read_login")
_LIST_OPEN_TABLES = query("doctor_list_open_tables")
_LIST_POWERS = query("doctor_list_powers")

_GROUP_OF: dict[Login, str] = {"reader": READER, "ingest": INGEST}


def groups(case: Case) -> Flow[list[Finding]]:
    """The groups of logins exist; none of them is a login itself. The gate has a check of its own."""
    rows = yield from fetch(_LIST_GROUPS, groups=list(LOGIN_GROUPS))
    found = dict(rows)
    findings = []
    for role in LOGIN_GROUPS:
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
    for name, can_login, is_super, bypasses, is_owner, connects, replicates, gives, free, of in rows:
        role = quoted(name)
        if name in ROLES:
            for other in sorted({*of, *free} - {name}):
                fix = f"REVOKE {quoted(other)} FROM {name}"
                findings.append(error(f"the group role {name} is a member of {other}: its logins are, too", fix))
            continue
        held = [group for group in of if group in LOGIN_GROUPS]
        if GATE in of and connects and not is_owner:
            findings.append(_in_the_gate(name, held))
        if not can_login or not held:
            continue
        if is_super or bypasses:
            why = "a superuser" if is_super else "allowed to bypass row-level security"
            findings.append(
                error(
                    f"role {name}, a member of {' and '.join(held)}, is {why}: nothing binds it",
                    f"ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS",
                )
            )
        if free:
            what = f"role {name}, a member of {' and '.join(held)}, {_can_become(free)}"
            findings.append(error(what, _take_out(free, role)))
        if replicates and not is_super:
            what = (
                f"role {name}, a member of {' and '.join(held)}, may replicate: it can read every change, and all files"
            )
            findings.append(error(what, f"ALTER ROLE {role} NOREPLICATION"))
        if gives and not is_owner:
            what = f"role {name} may make others members of {' and '.join(gives)}"
            findings.append(warning(what, f"REVOKE ADMIN OPTION FOR {', '.join(gives)} FROM {role}"))
        if name not in case.installation.users.values():
            what = f"role {name}, none of the logins at hand, is a member of {' and '.join(held)}"
            fix = f"if it is none of yours: REVOKE {', '.join(held)} FROM {role}, or from the role between them"
            findings.append(Finding("ok", what, fix))
        if len(held) > 1:
            fix = f"REVOKE {INGEST} FROM {role}, and give another login to what writes"
            findings.append(error(f"role {name} is a member of both groups: who searches could write", fix))
        if is_owner and not case.installation.single_login:
            fix = f"REVOKE {', '.join(held)} FROM {role}, and make a login of its own for that"
            what = f"role {name}, a member of {' and '.join(held)}, owns schema ragspine, or may become its owner"
            findings.append(error(what, fix))
    return findings


def login(case: Case) -> Flow[list[Finding]]:
    """One of the logins at hand: its group, no other authority, and what it needs besides."""
    ((name, is_super, bypasses, owns, temporary, _, free),) = yield from fetch(_READ_LOGIN)
    rows = yield from fetch(_LIST_MEMBERS, groups=list(ROLES))
    of: list[str] = next((found for member, *_, found in rows if member == name), [])
    which, role = f"the {case.login} login, role {name},", quoted(name)
    findings = []
    if case.installation.single_login and case.login != "owner":
        return []  # one login for everything; that it is weaker is said once
    if case.login == "owner":
        if is_super:
            fix = "migrate as a plain role with CREATE on the database: nothing of ours needs a superuser"
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
    if free:
        findings.append(error(f"{which} {_can_become(free)}", _take_out(free, role)))
    wanted = _GROUP_OF[case.login]
    others = [group for group in of if group != wanted]
    if wanted in of:
        findings += [error(f"{which} is a member of {group}, too", f"REVOKE {group} FROM {role}") for group in others]
    elif others:
        setting = variable(SETTINGS[case.login])
        findings.append(
            error(
                f"{which} is no member of {wanted} but of {' and '.join(others)}: {setting} holds the URL of another"
                " authority's login",
                f"set {setting} to the URL of a login that is a member of {wanted} alone (are two of them swapped?)",
            )
        )
    else:
        findings.append(error(f"{which} is no member of {wanted}", f"GRANT {wanted} TO {role}"))
    if case.login == "ingest" and not temporary:
        fix = "as the owner of the database: GRANT TEMPORARY ON DATABASE <this one> TO ragspine_ingest"
        findings.append(error(f"{which} may not make temporary tables, which an ingest needs", fix))
    return findings


def backstop(case: Case) -> Flow[list[Finding]]:
    """The reader has no right on tables. Where it has one, row-level security ought to bind it at least."""
    rows = yield from fetch(_LIST_OPEN_TABLES)
    role = case.installation.users[case.login]
    if not rows:
        return [fine("this login has no right on tables: what it reads, it reads through functions")]
    if unbound := [table for table, bound in rows if not bound]:
        what = f"row-level security does not bind role {role} on {', '.join(unbound)}"
        fix = f"search with a login that is a member of {READER} alone"
        return [warning(what, fix) if case.installation.single_login else error(what, fix)]
    return [
        error(
            f"role {role} has rights on {', '.join(table for table, _ in rows)}: the plans and counters of its own"
            " queries tell of rows that row-level security hides",
            f"take them from it, from PUBLIC and from its other roles: it needs {READER} alone; then run"
            " `ragspine-pg migrate`",
        )
    ]


def temporary(case: Case) -> Flow[list[Finding]]:
    """TEMPORARY is everybody's by default; a reader has no use for it."""
    ((*_, everybody, _),) = yield from fetch(_READ_LOGIN)
    if not everybody:
        return []
    return [
        warning(
            "everybody may make temporary tables in this database, readers included",
            "as the owner of the database, where no other application needs them (its roles then want the same grant):"
            f" REVOKE TEMPORARY ON DATABASE <this one> FROM PUBLIC; GRANT TEMPORARY ON DATABASE <this one> TO {INGEST}",
        )
    ]


def powers(case: Case) -> Flow[list[Finding]]:
    """Who sends SQL as the reader can watch nobody else, and make no function or operator of its own."""
    rows = yield from fetch(_LIST_POWERS)
    login = case.installation.users[case.login]
    role = quoted(login)
    findings = []
    for kind, name in rows:
        if kind == "role":
            what = f"role {login} is a member of {name}: it reads, watches or does more than a search needs"
            findings.append(warning(what, f"REVOKE {name} FROM {role}, or from the role through which it is one"))
        elif kind == "attribute":
            what = f"role {login} has {name}: it makes roles or databases, which no search needs"
            findings.append(warning(what, f"ALTER ROLE {role} NO{name}"))
        else:
            what = f"role {login} may make objects in {kind} {name}, functions and operators among them"
            fix = f"REVOKE CREATE ON {kind.upper()} {quoted(name)} FROM {role} and from PUBLIC"
            findings.append(warning(what, fix))
    return [] if case.installation.single_login else findings


def quoted(name: str) -> str:
    """A role's or schema's name as SQL takes it; any but our own may be one of SQL's words."""
    return name if name in (*ROLES, "PUBLIC") else '"' + name.replace('"', '""') + '"'


def _in_the_gate(name: str, held: list[str]) -> Finding:
    revoke = f"REVOKE {GATE} FROM {quoted(name)}, or from the role through which it is one"
    if held:
        return error(f"role {name} is a member of {GATE}, which is the owner's alone", revoke)
    # Roles are the whole server's, schemas are a database's: what it owns elsewhere cannot be seen from here.
    return warning(
        f"role {name} is a member of {GATE} and may connect here, and does not own schema ragspine of this database",
        "if it owns schema ragspine in another database of this server, leave it a member, and where databases are not"
        " to know of each other, take its right to connect to this one (CONNECT, which PUBLIC has by default); if it"
        f" owns none: {revoke}",
    )


def _can_become(free: list[str]) -> str:
    return f"can become {', '.join(free)}, whom row-level security does not bind"


def _take_out(free: list[str], role: str) -> str:
    return f"REVOKE {', '.join(map(quoted, free))} FROM {role}, or from the role through which it is a member"
