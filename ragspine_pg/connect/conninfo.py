"""From a URL or conninfo string to what libpq understands."""

import os
import re

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ragspine_pg.errors import ConfigurationError

DRIVER_URL = "postgresql+psycopg://"

_CONNECT_SECONDS = 10
_SCHEME = re.compile(r"^\s*([A-Za-z][A-Za-z0-9.\-]*)(?:\+([A-Za-z0-9_]+))?://")


def to_conninfo(target: str) -> str:
    """The libpq conninfo of ``postgresql://``, ``postgres://``, ``postgresql+psycopg://`` or ``host=... dbname=...``.

    Adds a bound on the time to connect and a name for the server's activity view where the target gives none. Raises
    ``ConfigurationError`` for another scheme or driver or a malformed string; no message quotes it, for it may hold a
    password.
    """
    if not target.strip():
        raise ConfigurationError("the database target is blank; give a postgresql:// URL or a conninfo string")
    if (match := _SCHEME.match(target)) is not None:
        scheme, driver = match.group(1).lower(), match.group(2)
        if scheme not in ("postgresql", "postgres"):
            raise ConfigurationError(f"a database target has the scheme postgresql://, not {scheme}://")
        if driver not in (None, "psycopg", "psycopg_async"):
            raise ConfigurationError(f"the driver {driver} is not supported; write {DRIVER_URL} (psycopg 3)")
        target = f"{scheme}://{target[match.end() :]}"
    try:
        params = {"fallback_application_name": "ragspine_pg", **conninfo_to_dict(target)}
        if "connect_timeout" not in params and "PGCONNECT_TIMEOUT" not in os.environ:
            params["connect_timeout"] = _CONNECT_SECONDS
        return make_conninfo("", **params)
    except ProgrammingError:
        raise ConfigurationError(
            "the database target is neither a valid postgresql:// URL nor a valid conninfo string (special characters "
            "of a password are percent-encoded in a URL)"
        ) from None
