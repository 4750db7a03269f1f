"""Strings that name a database, and strings that do not."""

import pytest
from psycopg.conninfo import conninfo_to_dict

from ragspine_pg.connect.conninfo import to_conninfo
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import ConfigurationError

_SAME = {"user": "u", "password": "p w", "host": "h", "port": "5433", "dbname": "d"}


@pytest.mark.parametrize(
    "target",
    [
        "postgresql://u:p%20w@h:5433/d",
        "postgres://u:p%20w@h:5433/d",
        "postgresql+psycopg://u:p%20w@h:5433/d",
        "PostgreSQL+psycopg_async://u:p%20w@h:5433/d",
        " host=h port=5433 dbname=d user=u password='p w'",
    ],
)
def test_every_way_to_write_a_target_means_the_same(target: str) -> None:
    assert {key: conninfo_to_dict(to_conninfo(target)).get(key) for key in _SAME} == _SAME


def test_socket_folder_in_a_url_keeps_its_blanks() -> None:
    target = "postgresql+psycopg://u@/d?host=%2Ftmp%2Fa%20b"
    assert conninfo_to_dict(to_conninfo(target))["host"] == "/tmp/a b"


def test_connecting_is_bounded_unless_the_caller_says_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    assert conninfo_to_dict(to_conninfo("postgresql://h/d"))["connect_timeout"] in ("10", 10)
    assert conninfo_to_dict(to_conninfo("postgresql://h/d?connect_timeout=3"))["connect_timeout"] in ("3", 3)
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "4")
    assert "connect_timeout" not in conninfo_to_dict(to_conninfo("postgresql://h/d"))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "blank"),
        ("  \n", "blank"),
        ("mysql://u:hush@h/d", "not mysql"),
        ("sqlite:///hush.db", "not sqlite"),
        ("postgresql+asyncpg://u:hush@h/d", r"asyncpg is not supported; write postgresql\+psycopg://"),
        ("postgresql+psycopg2://u:hush@h/d", r"psycopg2 is not supported; write postgresql\+psycopg://"),
        ("postgresql://u:hush%zz@h/d", "neither a valid"),
        ("hush", "neither a valid"),
        ("postgresql://h/d?hush=1", "neither a valid"),
    ],
)
def test_what_is_no_target_is_refused_without_quoting_it(target: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as refused:
        open_source(target)
    assert "hush" not in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@pytest.mark.parametrize("target", [None, 5, object(), b"postgresql://h/d"])
def test_object_that_is_no_target_is_refused(target: object) -> None:
    with pytest.raises(ConfigurationError, match="is no database target"):
        open_source(target)  # type: ignore[arg-type]


@pytest.mark.parametrize("bounds", [{"max_connections": 0}, {"wait_seconds": 0.0}, {"wait_seconds": float("nan")}])
def test_bounds_are_real_bounds(bounds: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=r"max_connections|wait_seconds"):
        open_source("postgresql://h/d", **bounds)  # type: ignore[arg-type]
