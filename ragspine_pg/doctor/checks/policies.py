"""Row-level security: switched on everywhere, by the policies that the code would create."""

import hashlib
import re
from collections.abc import Iterator

from ragspine_pg.doctor.check import MIGRATE, Case, error
from ragspine_pg.doctor.checks.functions import make_twin
from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.schema.privileges import ROLES
from ragspine_pg.schema.revision import VERSION_TABLE
from ragspine_pg.schema.state import POLICIES, policy_statements
from ragspine_pg.statement.catalogue import query, read
from ragspine_pg.statement.render import render

_READ_SERVER = query("doctor_read_server")
_LIST_GROUPS = query("doctor_list_groups")
_LIST_POLICIES = query("doctor_list_policies")
_LIST_ROW_SECURITY = query("doctor_list_row_security")
_COMPARE_POLICIES = query("doctor_compare_policies")


def row_security(case: Case) -> Flow[list[Finding]]:
    """It is enabled on every table but the revision's, and forced on none that would hide its rows from the owner."""
    rows = yield from fetch(_LIST_ROW_SECURITY)
    findings = []
    for table, enabled, forced, shows_all in rows:
        if table == VERSION_TABLE:
            continue
        if not enabled:
            fix = f"ALTER TABLE ragspine.{table} ENABLE ROW LEVEL SECURITY"
            findings.append(error(f"row-level security is off on table {table}", fix))
        if forced and not shows_all:
            findings.append(
                error(
                    f"row-level security is forced on the owner of table {table}, and no policy shows the owner every"
                    " row: searches, migrations and backups see none",
                    f"ALTER TABLE ragspine.{table} NO FORCE ROW LEVEL SECURITY, or give the owner a policy"
                    " USING (true) and back up with --enable-row-security (docs/guide/hosting.md)",
                )
            )
    if bound := [table for table, enabled, forced, shows_all in rows if enabled and forced and shows_all]:
        findings.append(
            Finding(
                "ok",
                f"row-level security is forced on the owner of {', '.join(bound)}, whom a policy shows every row:"
                " pg_dump refuses them, or with --enable-row-security dumps what that policy shows",
                "back up and restore with --enable-row-security, and see that the policy stays (docs/guide/hosting.md)",
            )
        )
    return findings


def policies(case: Case) -> Flow[list[Finding]]:
    """Each policy is there, made from this release's text; and there is no other, since permissive ones are OR-ed.

    But for those that are for the owner alone, who needs one where row-level security is forced.
    """
    expected = yield from _expected()
    rows = yield from fetch(_LIST_POLICIES)
    found = {(table, policy): comment for table, policy, comment, _ in rows}
    owners = {(table, policy) for table, policy, _, for_owner in rows if for_owner}
    findings = []
    for (table, policy), statement in expected.items():
        if (table, policy) not in found:
            findings.append(error(f"policy {policy} on table {table} is missing", MIGRATE))
        elif found[table, policy] != f"sha256 {hashlib.sha256(statement.encode()).hexdigest()}":
            findings.append(error(f"policy {policy} on table {table} was made from another text", MIGRATE))
    for table, policy in sorted(set(found) - set(expected) - owners):
        what = f"policy {policy} on table {table} is none of ours, and could show rows that ours hide"
        findings.append(error(what, f"DROP POLICY {policy} ON ragspine.{table}"))
    return findings


def texts(case: Case) -> Flow[list[Finding]]:
    """Each policy against a twin on a temporary table: ALTER POLICY leaves its trace in the expressions alone."""
    expected = yield from _expected()
    for table in sorted({table for table, _ in expected}):
        yield from make_twin(f"CREATE TEMPORARY TABLE {table} (LIKE ragspine.{table})")
        yield from make_twin(f"ALTER TABLE pg_temp.{table} ENABLE ROW LEVEL SECURITY")
    for (table, _), statement in expected.items():
        yield from make_twin(re.sub(rf"\bON ragspine\.{table}\b", f"ON pg_temp.{table}", statement, count=1))
    rows = yield from fetch(_COMPARE_POLICIES)
    return [
        error(
            f"policy {policy} on table {table} does not say what this release's says",
            f"DROP POLICY {policy} ON ragspine.{table}, then {MIGRATE}",
        )
        for table, policy in rows
    ]


def _expected() -> Flow[dict[tuple[str, str], str]]:
    """The statements the code would run here, by table and policy; those of absent group roles wait for the roles."""
    ((_, _, _, vector_schema),) = yield from fetch(_READ_SERVER)
    groups = yield from fetch(_LIST_GROUPS, groups=list(ROLES))
    absent = set(ROLES) - {name for name, _ in groups}
    return {
        (table, policy): statement
        for table, policy, statement in _statements(vector_schema or "public")
        if not any(re.search(rf"\b{role}\b", statement) for role in absent)
    }


def _statements(vector_schema: str) -> Iterator[tuple[str, str, str]]:
    for name in POLICIES:
        yield from policy_statements(render(read("policies", name), vector_schema))
