"""Makes every check that the logins at hand allow, in order."""

from collections.abc import Callable

from ragspine_pg.doctor.check import Case, Check
from ragspine_pg.doctor.checks import (
    connections,
    data,
    folder,
    functions,
    gate,
    grants,
    handover,
    kept,
    names,
    objects,
    policies,
    rights,
    roles,
    server,
    tables,
    variables,
)
from ragspine_pg.doctor.checks.roles import quoted
from ragspine_pg.doctor.diagnosis import CheckResult, Diagnosis, Finding
from ragspine_pg.doctor.installation import LOGINS, Installation, Login
from ragspine_pg.doctor.settings import settings_in_force
from ragspine_pg.errors import ConfigurationError, RagSpineError, SchemaError
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import fetch
from ragspine_pg.schema.privileges import INGEST
from ragspine_pg.statement.catalogue import query

_READ_LOGIN = query("doctor_read_login")
_ANY: tuple[Login, ...] = ("owner", "ingest", "reader")

CHECKS: tuple[Check, ...] = (
    Check("server", "PostgreSQL and pgvector are new enough", _ANY, server.versions, needs_schema=False),
    Check("clock", "this host's clock and the server's agree", _ANY, server.clock, needs_schema=False),
    Check("counters", "the counters of single tables are closed", _ANY, server.counters, needs_schema=False),
    Check("log", "what the server's log may hold", _ANY, server.log, needs_schema=False),
    Check("schema", "the schema is at this release's revision", _ANY, objects.revision, needs_schema=False),
    Check("build", "this release's own migration made it", _ANY, tables.build),
    Check("objects", "every table, column, constraint and index is there", _ANY, objects.objects),
    Check(
        "tables",
        "columns, constraints and indexes are the release's",
        ("owner", "ingest"),
        tables.tables,
        twins=True,
    ),
    Check("groups", "the group roles exist", _ANY, roles.groups, needs_schema=False),
    Check("members", "each login is a member of one group, and bound by it", _ANY, roles.members),
    Check("logins", "each login holds its own authority alone", LOGINS, roles.login, every=True),
    Check("gate", "row-level security binds the functions that hand out text", _ANY, gate.gate),
    Check("backstop", "the login that searches has no right on tables", ("reader",), roles.backstop),
    Check(
        "powers",
        "the login that searches can watch nobody and make nothing",
        ("reader",),
        roles.powers,
        needs_schema=False,
    ),
    Check(
        "kept", "no login keeps a setting that changes who asks or what is shown", _ANY, kept.kept, needs_schema=False
    ),
    Check("temporary", "only who writes may make temporary tables", _ANY, roles.temporary, needs_schema=False),
    Check("rights", "rights are those of the release's table", _ANY, rights.rights),
    Check("row_security", "row-level security is on for every table", _ANY, policies.row_security),
    Check("policies", "every policy is there, and no other", _ANY, policies.policies),
    Check("policy_texts", "every policy says what the release's says", ("owner", "ingest"), policies.texts, twins=True),
    Check("functions", "every function is the release's", ("owner", "ingest"), functions.functions, twins=True),
    Check("analyzer", "the analyzer of the settings is known to the database", _ANY, names.analyzer),
    Check("grant_keys", "the database has a key that verifies grants", ("owner",), grants.keys),
    Check("grant", "a grant that this process signs verifies", ("reader",), grants.grant),
    Check(
        "environments", "index versions were made under this server's locale", ("ingest", "owner"), data.environments
    ),
    Check("statistics", "no statistic is a sum of too many rows", ("ingest", "owner"), data.unfolded),
)
_AUDIT = "what is stored agrees with itself, recounted from the ground"

OnStep = Callable[[str], None]


def examine(
    installation: Installation, *, audit: bool = True, deep: bool = False, on_step: OnStep | None = None
) -> Diagnosis:
    """Make every check; nothing that is stored is changed.

    Behind a pool that does not reset sessions, a setting of ours with a random value, ``ragspine.probe``, can stay in
    one session of each login until that ends (see ``handover``).

    ``audit`` reads all that every library holds; ``deep`` analyses its texts again, too, which takes as long as an
    ingest. ``on_step`` is told what comes next.
    """
    say = on_step if on_step is not None else _quiet
    results = [
        variables.variables(),
        names.names(installation),
        folder.folder(installation),
        connections.connect(installation),
        handover.handover(installation),
    ]
    usable = True
    for check in CHECKS:
        say(check.about)
        result = _make(installation, check, usable)
        if check.name == "schema" and result.state != "ok":
            usable = False
        results.append(result)
    if audit:
        recount = Check("libraries", _AUDIT, ("ingest", "owner"), data.make_audit(deep, say))
        results.append(_make(installation, recount, usable))
    else:
        results.append(CheckResult("libraries", _AUDIT, unchecked="left out"))
    return Diagnosis(settings_in_force(installation), tuple(results))


def _make(installation: Installation, check: Check, usable: bool) -> CheckResult:
    able = [login for login in check.logins if login in installation.sources]
    if not able:
        needed = " or ".join(check.logins)
        return CheckResult(check.name, check.about, _not_compared(check, needed), f"needs the {needed} login")
    if check.needs_schema and not usable:
        return CheckResult(check.name, check.about, unchecked="the schema is not this release's")
    findings: list[Finding] = []
    refused = ""
    lacks: list[Finding] = []
    for login in able:
        try:
            findings += _drive(installation, check, login)
        except RagSpineError as error:
            if isinstance(error, ConfigurationError) and error.ids.get("sqlstate") == "42501":
                lacks.append(_lacks(installation, check, login))
                continue  # the next one may have the right
            fix = "run `ragspine-pg migrate` as the owner" if isinstance(error, SchemaError) else ""
            findings.append(Finding("error", f"as {login}: {error}", fix))
        if not check.every:
            break
    else:
        if lacks:  # nobody could make it, or with ``every`` not each: it may hide whatever it looks for
            findings += lacks
            refused = "; ".join(finding.what for finding in lacks)
    if check.every and (absent := [login for login in check.logins if login not in able]):
        refused = refused or f"needs the {' and the '.join(absent)} login for the rest"
    return CheckResult(check.name, check.about, tuple(findings), refused)


def _not_compared(check: Check, needed: str) -> tuple[Finding, ...]:
    """Without the comparisons the database may hold anything, so that they are missing is no clean bill."""
    if not check.twins:
        return ()
    fix = f"name the {needed} login, here or where doctor runs besides"
    return (Finding("warning", "this was not compared with the release's, so a change is not seen", fix),)


def _lacks(installation: Installation, check: Check, login: Login) -> Finding:
    """The login lacks a right; of comparisons, which need temporary tables, it is known which."""
    role = installation.users.get(login, login)
    right, fix = "a right that this check needs", "run `ragspine-pg migrate` as the owner: it makes rights true again"
    if check.twins and not _may_make_twins(installation, login):
        right = "TEMPORARY on this database, which comparing with the release's needs"
        grantee = INGEST if login == "ingest" else quoted(role)
        fix = f"as the owner of the database: GRANT TEMPORARY ON DATABASE <this one> TO {grantee}"
    return Finding("error", f"the {login} login, role {role}, lacks {right}", fix)


def _may_make_twins(installation: Installation, login: Login) -> bool:
    with installation.connect(login).transaction(read_only=True) as connection:
        ((_, _, _, _, temporary, *_),) = run(fetch(_READ_LOGIN), connection)
    return bool(temporary)


def _drive(installation: Installation, check: Check, login: Login) -> list[Finding]:
    source = installation.connect(login)
    with source.transaction(read_only=not check.twins) as connection, connection.transaction(force_rollback=True):
        return run(check.run(Case(installation, login)), connection)


def _quiet(_: str) -> None:
    """Nobody listens."""
