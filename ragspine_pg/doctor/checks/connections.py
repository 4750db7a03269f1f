"""Whether each login that is named can connect."""

from ragspine_pg.doctor.check import error, fine, warning
from ragspine_pg.doctor.diagnosis import CheckResult, Finding
from ragspine_pg.doctor.installation import LOGINS, SETTINGS, Installation, Login
from ragspine_pg.errors import RagSpineError

_WITHOUT: dict[Login, str] = {
    "reader": "nothing can be searched",
    "ingest": "nothing can be written",
    "owner": "nothing can be migrated",
}


def connect(installation: Installation) -> CheckResult:
    """Connect as each login and keep the connections for the other checks."""
    findings: list[Finding] = []
    absent = []
    if installation.problem is not None:
        findings.append(error(f"the embedded server cannot be opened: {installation.problem}"))
    for login in LOGINS:
        if login not in installation.urls:
            absent.append(f"no {login} login is named (RAGSPINE_{SETTINGS[login].upper()})")
            continue
        try:
            with installation.connect(login).transaction(read_only=True) as connection:
                installation.users[login] = connection.info.user
        except RagSpineError as failure:
            installation.forget(login)
            findings.append(
                error(
                    f"the {login} login cannot connect, so {_WITHOUT[login]}: {failure}",
                    f"set RAGSPINE_{SETTINGS[login].upper()} to a URL that connects",
                )
            )
        else:
            findings.append(fine(f"{login} connects as role {installation.users[login]}"))
    if installation.single_login:
        findings.append(
            warning(
                "--single-login: the database's backstop is off, since row-level security does not bind this login",
                "use three logins where the service allows it: a member of ragspine_reader, one of ragspine_ingest, and"
                " the owner",
            )
        )
    return CheckResult("connections", "each login connects", tuple(findings), "; ".join(absent))
