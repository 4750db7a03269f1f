"""The tables of the guide and the README say what the code says: settings, operators, keys, chunkers, doors."""

import inspect
import re
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path

import pytest

from ragspine_pg.chunking.registry import CHUNKERS
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.condition import OPERATORS
from ragspine_pg.contract.setting import PREFIX
from ragspine_pg.ingest import library
from ragspine_pg.ingest.authorise import FORMATS
from ragspine_pg.ingest.loader import jsonl
from tests.access.test_isolation import DOORS, VECTOR_DOORS

GUIDE = Path(__file__).parents[2] / "docs/guide"
SETTINGS = (GUIDE / "configuration.md").read_text(encoding="utf-8")
SQL = (GUIDE / "sql.md").read_text(encoding="utf-8")
DOCUMENTS = (GUIDE / "documents.md").read_text(encoding="utf-8")
README = (GUIDE.parents[1] / "README.md").read_text(encoding="utf-8")


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


def first_faults(text: str, heading: str, wanted: Iterable[str]) -> list[str]:
    """Where the names in the first column of a table differ from ``wanted``."""
    listed = [name for row in table(text, heading) for name in re.findall(r"`([^`]+)`", row[0])]
    faults = [f"{name} is not listed" for name in set(wanted) - set(listed)]
    return faults + [f"{name} is none" for name in set(listed) - set(wanted)]


def jsonl_faults(text: str) -> list[str]:
    """Where the table of keys and the loader of JSONL differ."""
    return first_faults(text.partition("## JSONL")[2], "key", jsonl._KEYS)


def suffix_faults(text: str) -> list[str]:
    """Where the table of suffixes and the files that are read differ."""
    return first_faults(text, "suffix, `.gz` too", FORMATS)


def profile_faults(text: str) -> list[str]:
    """Where the table of a profile's keys and what a profile takes differ."""
    return first_faults(
        text.partition("## Profile")[2], "key", [*library._SETTINGS, "chunker_options", "embedding_options"]
    )


def chunker_faults(text: str) -> list[str]:
    """Where the table of chunkers and the registry differ, options and their defaults included."""
    faults = first_faults(text, "name | cuts", CHUNKERS)
    for row in table(text, "name | cuts"):
        for name in re.findall(r"`(\w+)`", row[0]):
            parameters = inspect.signature(CHUNKERS[name]).parameters.values() if name in CHUNKERS else ()
            taken = {f"{parameter.name}={parameter.default}" for parameter in parameters}
            if set(re.findall(r"`([^`]+)`", row[3])) != taken:
                faults.append(f"{name} has other options")
    return faults


def door_faults(text: str) -> list[str]:
    """Whether the README counts the doors as the test of isolation does."""
    return [] if f"through {len(DOORS) + len(VECTOR_DOORS)} doors" in text else ["another number of doors"]


def test_keys_suffixes_chunkers_and_doors_are_those_of_the_code() -> None:
    assert jsonl_faults(DOCUMENTS) == suffix_faults(DOCUMENTS) == profile_faults(DOCUMENTS) == []
    assert chunker_faults(DOCUMENTS) == []
    assert door_faults(README) == []


def test_every_file_that_the_readme_names_is_there() -> None:
    root = GUIDE.parents[1]
    named = re.findall(r"`(tests/[\w/]+\.py)`", README) + re.findall(r"\]\(((?:docs|docker)/[\w/.-]+)\)", README)
    assert len(named) > 20
    assert [name for name in named if not (root / name).exists()] == []
    assert {f"docs/guide/{page.name}" for page in GUIDE.glob("*.md")} <= set(named)


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
        (jsonl_faults, DOCUMENTS, ("| `readers` | list", "| `reader` | list"), "readers is not listed"),
        (suffix_faults, DOCUMENTS, ("`.ndjson`", "`.json`"), ".json is none"),
        (profile_faults, DOCUMENTS, ("| `pivot` |", "| `length` |"), "pivot is not listed"),
        (chunker_faults, DOCUMENTS, ("| `laws` |", "| `law` |"), "laws is not listed"),
        (chunker_faults, DOCUMENTS, ("`window=3`", "`window=2`"), "sentence_window has other options"),
        (door_faults, README, ("28 doors", "23 doors"), "another number of doors"),
        (operator_faults, SQL, ("`nin`", ""), "nin is not listed"),
        (operator_faults, SQL, ("`nin`", "`not_in`"), "not_in is no operator"),
        (operator_faults, SQL, ("`nin`", "`nin`, `eq`"), "eq is listed twice"),
    ],
)
def test_the_tables_have_teeth(faults: Callable[[str], list[str]], text: str, edit: tuple[str, str], told: str) -> None:
    assert text.count(edit[0]) == 1
    assert told in faults(text.replace(*edit))
