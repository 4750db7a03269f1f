"""From the driver's errors to ours: SQLSTATE and constraint name are kept, values never are."""

import psycopg

from ragspine_pg.errors import (
    ConfigurationError,
    DeadlineExceeded,
    EnvironmentChanged,
    GrantInvalid,
    IngestError,
    InvalidFilter,
    LibraryExists,
    ModeUnavailable,
    NotFound,
    QueryError,
    RagSpineError,
    SchemaError,
    UnavailableError,
    UnsafeRole,
    VerificationFailed,
)

# Class RS: raised by our own SQL functions, with a message that quotes no data. sql/README.md lists them.
_OURS: dict[str, type[RagSpineError]] = {
    "RS001": InvalidFilter,
    "RS002": ConfigurationError,  # an unknown analyzer, field type or setting
    "RS003": EnvironmentChanged,
    "RS004": NotFound,
    "RS005": ModeUnavailable,
    "RS006": QueryError,  # an argument out of range
    "RS007": UnsafeRole,
    "RS008": GrantInvalid,
    "RS009": VerificationFailed,
    "RS010": LibraryExists,
    "RS011": IngestError,
}

# Added to a message of ours where it alone does not say what to do. A key's id is known to whoever signs with the key.
_HINTS: dict[str, str] = {
    "the grant does not verify: unknown key": (
        " (it was signed with the key of another database, or with one that was retired: RAGSPINE_GRANT_KEY must be a"
        " key of this database, as `migrate` or `keys --add` showed it; `ragspine-pg keys` lists those in use)"
    ),
    "the grant does not verify: expired": " (do the clocks of this host and of the server agree?)",
    "the grant does not verify: revoked": " (it was taken back: ask for another one)",
    "this login can read past row-level security: search with a login that is a member of ragspine_reader alone"
    " (`ragspine-pg doctor` says what else this one is)": (
        "; or open with single_login=True, to go without the database's backstop"
    ),
}

_FOREIGN: dict[str, tuple[type[RagSpineError], str]] = {
    "57014": (DeadlineExceeded, "the database stopped the statement: the deadline passed, or it was cancelled"),
    "42501": (
        ConfigurationError,
        "the database login lacks a right that this call needs; `ragspine-pg doctor` says which and how to grant it",
    ),
    "53100": (UnavailableError, "the database server's disk is full; nothing half-done was kept"),
    "53200": (UnavailableError, "the database server ran out of memory; nothing half-done was kept"),
    "3F000": (SchemaError, "schema ragspine is missing; run `ragspine-pg migrate`"),
    "42P01": (SchemaError, "a table of schema ragspine is missing; run `ragspine-pg migrate`"),
    "42703": (SchemaError, "a table of schema ragspine lacks a column; `ragspine-pg doctor` names it"),
    "42883": (SchemaError, "a function of schema ragspine is missing; run `ragspine-pg migrate`"),
}


def translate(error: psycopg.Error) -> RagSpineError:
    """Our error for a driver's: what a caller can act on by its own class, the rest as a plain ``RagSpineError``.

    The driver's text is used for class RS alone: the messages of other errors, and every DETAIL and CONTEXT, can quote
    values. Raise the result ``from None``.
    """
    state = error.sqlstate or ""
    constraint = error.diag.constraint_name
    if state in _OURS:
        message = error.diag.message_primary or "refused"
        return _OURS[state](message + _HINTS.get(message, ""), sqlstate=state)
    if state in _FOREIGN:
        kind, message = _FOREIGN[state]
        return kind(message, sqlstate=state)
    if state.startswith("23"):
        return IngestError(
            f"the database refused the write: {constraint or 'a constraint'} does not hold",
            sqlstate=state,
            constraint=constraint,
        )
    if state[:2] == "40" or state == "55P03":
        return UnavailableError(
            "the transaction gave way to another one; nothing of it was kept, run it again", sqlstate=state
        )
    if isinstance(error, psycopg.OperationalError) or state[:2] in {"08", "57", "53"}:
        return UnavailableError(
            "the database cannot be reached or closed the connection; nothing half-done was kept",
            sqlstate=state or None,
        )
    return RagSpineError(
        f"the database reported {type(error).__name__} (SQLSTATE {state or 'unknown'})", sqlstate=state
    )


def unreachable(error: BaseException, database: str = "the database") -> UnavailableError:
    """The error of a connection attempt, with the driver's reason.

    libpq names host, database and login, never the password; a login that is refused has no SQLSTATE here.
    """
    reason = " ".join(str(error).split())[:500]
    return UnavailableError(f"{database} cannot be reached: {reason}", sqlstate=getattr(error, "sqlstate", None))
