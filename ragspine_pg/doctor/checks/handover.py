"""Whether a pool between the logins and the server hands sessions on with what was set in them."""

import secrets

from ragspine_pg.connect.source import ConnectionSource
from ragspine_pg.connect.target import open_source
from ragspine_pg.doctor.check import fine, warning
from ragspine_pg.doctor.diagnosis import CheckResult, Finding
from ragspine_pg.doctor.installation import LOGINS, Installation
from ragspine_pg.errors import RagSpineError
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow, fetch
from ragspine_pg.statement.catalogue import query

_LEAVE = query("doctor_leave_probe", str)
_TAKE = query("doctor_take_probe")

_TRIES = 5
_WAIT_SECONDS = 5.0

_WHAT = "is given sessions with what others have set in them, a grant that was set for a session too"


def handover(installation: Installation) -> CheckResult:
    """Leave a setting in a session as each login, and look for it as another client of the same login.

    Each login opens one connection that leaves the setting, and while that stays and after it has gone up to five more,
    one after the other: eleven at most, two at a time. Where a pool does not reset sessions, the setting can stay in
    one.
    """
    findings: list[Finding] = []
    unchecked = []
    for login in LOGINS:
        if login not in installation.sources:
            continue
        try:
            while_connected, afterwards = _probe(installation.urls[login])
        except RagSpineError as failure:
            unchecked.append(f"the {login} login cannot open two connections more: {failure}")
            continue
        if while_connected:
            # A choice, no fault: what this library sets ends with its transaction.
            findings.append(
                Finding(
                    "ok",
                    f"the {login} login goes through a pool that shares sessions by transactions, and {_WHAT}: nothing"
                    " of this library stays there, but what other code sets for the session does",
                    "say who asks by ragspine.assume alone, inside the transaction; if other code uses this login, let"
                    " the pool reset after each transaction (PgBouncer: server_reset_query_always = 1)",
                )
            )
        elif afterwards:
            findings.append(
                warning(
                    f"the {login} login goes through a pool that does not reset sessions, and {_WHAT}",
                    "let the pool run DISCARD ALL when a client leaves (PgBouncer: server_reset_query = DISCARD ALL)",
                )
            )
        else:
            findings.append(fine(f"the {login} login found nothing of another session in its own"))
    return CheckResult("handover", "no session has what another one set", tuple(findings), "; ".join(unchecked))


def _probe(url: str) -> tuple[bool, bool]:
    """Whether another client finds the setting while the one that left it is connected, and when it has gone."""
    token = secrets.token_hex(8)
    source = _client(url)
    try:
        _ask(source, _leave(token))
        while_connected = _found(url, token)
    finally:
        source.close()
    return while_connected, while_connected or _found(url, token)


def _found(url: str, token: str) -> bool:
    """Whether one of a few clients finds it: a pool has several sessions to give."""
    for _ in range(_TRIES):
        source = _client(url)
        try:
            if _ask(source, _take(token)):
                return True
        finally:
            source.close()
    return False


def _client(url: str) -> ConnectionSource:
    return open_source(url, max_connections=1, wait_seconds=_WAIT_SECONDS)


def _ask(source: ConnectionSource, flow: Flow[bool]) -> bool:
    with source.transaction(read_only=True) as connection:
        return run(flow, connection)


def _leave(token: str) -> Flow[bool]:
    yield from fetch(_LEAVE, token=token)
    return True


def _take(token: str) -> Flow[bool]:
    ((found, _),) = yield from fetch(_TAKE, token=token)
    return bool(found)
