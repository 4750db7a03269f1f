"""Reads the files of ``sql/``, wherever the package is installed."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, overload

from ragspine_pg.flow.steps import Statement

Row = TypeVar("Row")


@cache
def read(folder: str, name: str) -> str:
    """The text of ``sql/<folder>/<name>.sql``."""
    return (files("ragspine_pg._sql") / folder / f"{name}.sql").read_text(encoding="utf-8")


def _columns(*values: Any) -> tuple[Any, ...]:
    return values


@overload
def query(name: str) -> Statement[tuple[Any, ...]]: ...
@overload
def query(name: str, row: Callable[..., Row]) -> Statement[Row]: ...
def query(name: str, row: Callable[..., Any] = _columns) -> Statement[Any]:
    """The statement ``sql/queries/<name>.sql``; ``row`` is called with the columns of a row in order."""
    return Statement(name, read("queries", name), row)
