"""The settings in force and where each comes from, without secrets."""

import os

from psycopg.conninfo import conninfo_to_dict

from ragspine_pg.connect.conninfo import to_conninfo
from ragspine_pg.connect.embedded import default_home
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.contract.setting import variable
from ragspine_pg.doctor.diagnosis import Setting
from ragspine_pg.doctor.installation import SETTINGS, Installation
from ragspine_pg.errors import ConfigurationError

_SHOWN = ("user", "host", "port", "dbname")


def settings_in_force(installation: Installation) -> tuple[Setting, ...]:
    """Every setting of ``ServiceConfig``; URLs without password, the grant key by its id."""
    return tuple(_setting(installation, name) for name in type(installation.config).model_fields)


def _setting(installation: Installation, name: str) -> Setting:
    value = getattr(installation.config, name)
    if name in installation.given:
        source = "call"
    elif os.environ.get(variable(name)):
        source = "environment"
    else:
        source = "default"
    login = next((login for login, setting in SETTINGS.items() if setting == name), None)
    if login is not None:
        url = installation.urls.get(login)
        if value is None and url is not None:
            source = "embedded server" if installation.server is not None else "--single-login"
        return Setting(name, "none" if url is None else _url(url), source)
    if name == "grant_key":
        if installation.server is not None:
            source = "embedded server"
        return Setting(name, _key(installation.grant_key), source)
    if name == "home" and value is None:
        value = default_home()
    return Setting(name, "none" if value is None else str(value), source)


def _url(url: str) -> str:
    try:
        parts = conninfo_to_dict(to_conninfo(url))
    except ConfigurationError:
        return "(not a database URL)"
    return " ".join(f"{part}={parts[part]}" for part in _SHOWN if parts.get(part))


def _key(text: str | None) -> str:
    if text is None:
        return "none"
    try:
        return f"key {GrantKey.parse(text).key_id}"
    except ConfigurationError:
        return "(not a grant key)"
