"""A check: what it looks at, which logins may make it, and the flow that does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ragspine_pg.doctor.diagnosis import Finding
from ragspine_pg.doctor.installation import Installation, Login
from ragspine_pg.flow.steps import Flow

MIGRATE = "run `ragspine-pg migrate` as the owner of the schema: it makes policies and rights true again"


@dataclass(frozen=True, slots=True)
class Case:
    """The installation, and the login as which a check runs."""

    installation: Installation
    login: Login


Run: TypeAlias = Callable[[Case], Flow[list[Finding]]]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of the database, made inside one transaction that is rolled back.

    ``logins``: those that can make it, the best first; the first one that connects does, with ``every`` each of them.
    ``twins``: it makes temporary objects, so its transaction must be able to write. ``needs_schema``: it is of no use
    on another revision than this code's.
    """

    name: str
    about: str
    logins: tuple[Login, ...]
    run: Run
    every: bool = False
    twins: bool = False
    needs_schema: bool = True


def error(what: str, fix: str = "") -> Finding:
    """Something is wrong."""
    return Finding("error", what, fix)


def warning(what: str, fix: str = "") -> Finding:
    """Something is weaker than it could be."""
    return Finding("warning", what, fix)


def fine(what: str) -> Finding:
    """Something worth knowing."""
    return Finding("ok", what)
