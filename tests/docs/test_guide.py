"""The guide's tables say what the code says: every setting, every operator of a filter."""

import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import pytest

from ragspine_pg.config import PREFIX, ServiceConfig
from ragspine_pg.contract.condition import OPERATORS

GUIDE = Path(__file__).parents[2] / "docs/guide"
SETTINGS = (GUIDE / "configuration.md").read_text(encoding="utf-8")
SQL = (GUIDE / "sql.md").read_text(encoding="utf-8")


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose first heading is ``first``."""
    rows = text.partition(f"| {first} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def setting_faults(text: str) -> list[str]:
    """Where the table of settings and ``ServiceConfig`` differ."""
    rows = {key.strip("`"): (variable.strip("`"), default) for key, variable, default, *_ in table(text, "key")}
    fields = ServiceConfig.model_fields
    faults = [f"{name} is not listed" for name in fields.keys() - rows.keys()]
    faults += [f"{name} is no setting" for name in rows.keys() - fields.keys()]
    for name in fields.keys() & rows.keys():
        variable, written = rows[name]
        value = fields[name].default
        default = str(value.value if isinstance(value, Enum) else value)
        if variable != f"{PREFIX}{name.upper()}":
            faults.append(f"{name} has another variable")
        if (written != f"`{default}`") if value is not None else written.startswith("`"):
            faults.append(f"{name} has another default")
    return faults


def operator_faults(text: str) -> list[str]:
    """Where the table of operators and the filter's differ."""
    listed = [name for row in table(text, "`op`") for name in re.findall(r"`(\w+)`", row[0])]
    faults = [f"{name} is not listed" for name in set(OPERATORS) - set(listed)]
    faults += [f"{name} is no operator" for name in set(listed) - set(OPERATORS)]
    return faults + [f"{name} is listed twice" for name in set(listed) if listed.count(name) > 1]


def test_every_setting_is_listed_with_its_variable_and_default() -> None:
    assert setting_faults(SETTINGS) == []


def test_every_operator_is_listed() -> None:
    assert operator_faults(SQL) == []


@pytest.mark.parametrize(
    ("faults", "text", "edit", "told"),
    [
        (setting_faults, SETTINGS, ("| `home` |", "| `house` |"), "home is not listed"),
        (setting_faults, SETTINGS, ("| `home` |", "| `house` |"), "house is no setting"),
        (setting_faults, SETTINGS, ("`RAGSPINE_PG_BIN`", "`RAGSPINE_BIN`"), "pg_bin has another variable"),
        (setting_faults, SETTINGS, ("| `10` |", "| `5` |"), "pool_size has another default"),
        (operator_faults, SQL, ("`nin`", ""), "nin is not listed"),
        (operator_faults, SQL, ("`nin`", "`not_in`"), "not_in is no operator"),
        (operator_faults, SQL, ("`nin`", "`nin`, `eq`"), "eq is listed twice"),
    ],
)
def test_the_tables_have_teeth(faults: Callable[[str], list[str]], text: str, edit: tuple[str, str], told: str) -> None:
    assert text.count(edit[0]) == 1
    assert told in faults(text.replace(*edit))
