"""docs/names.md lists the public names of every public module, no more and no fewer.

A section a module, ``## `ragspine_pg` ``; a name a table row or list item that begins with it in code font.
"""

import importlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import ragspine_pg

NAMES = Path(__file__).parents[2] / "docs/names.md"


def listed(text: str) -> dict[str, list[str]]:
    """Module → the names under its heading, in order."""
    sections: dict[str, list[str]] = {}
    for line in text.split("\n"):
        if heading := re.match(r"## `(ragspine_pg[\w.]*)`", line):
            sections[heading[1]] = []
        elif sections and (item := re.match(r"(?:\| |- )`(\w+)", line)):
            sections[list(sections)[-1]].append(item[1])
    return sections


def differences(text: str) -> list[str]:
    """Where the list and reality differ."""
    found = []
    sections = listed(text)
    if "ragspine_pg" not in sections:
        found.append("no section for ragspine_pg")
    for module, names in sections.items():
        public = importlib.import_module(module).__all__
        found += [f"{module}.{name} is not listed" for name in sorted(set(public) - set(names))]
        found += [f"{module}.{name} is not public" for name in sorted(set(names) - set(public))]
        found += [f"{module}.{name} is listed twice" for name in set(names) if names.count(name) > 1]
    return found


def test_names_are_those_of_the_package() -> None:
    assert differences(NAMES.read_text(encoding="utf-8")) == []


def test_every_public_name_exists_and_says_what_it_is() -> None:
    for module in listed(NAMES.read_text(encoding="utf-8")):
        for name in importlib.import_module(module).__all__:
            value = getattr(importlib.import_module(module), name)
            assert getattr(value, "__doc__", None), f"{module}.{name}"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda lines: lines[:-1], "is not listed"),
        (lambda lines: [*lines, "| `Stray` | |"], "Stray is not public"),
        (lambda lines: [*lines, lines[-1]], "is listed twice"),
        (lambda lines: lines[1:], "no section"),
    ],
)
def test_names_are_those_of_the_package_has_teeth(fault: Callable[[list[str]], list[str]], message: str) -> None:
    lines = ["## `ragspine_pg`", *(f"| `{name}` | what it is |" for name in ragspine_pg.__all__)]
    assert differences("\n".join(lines)) == []
    assert any(message in found for found in differences("\n".join(fault(lines))))
