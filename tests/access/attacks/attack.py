"""An attack as data: what is sent, as whom, and what about the answer may honestly differ."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Holding = Literal["valid", "none"]
Login = Literal["reader", "ingest"]


@dataclass(frozen=True)
class Mask:
    """A part of an answer that differs from run to run for a reason that has nothing to do with hidden rows."""

    pattern: str
    reason: str

    def hide(self, answer: str) -> str:
        """The answer with that part replaced."""
        return re.sub(self.pattern, "<masked>", answer)


@dataclass(frozen=True)
class Attack:
    """``sql`` is sent statement by statement over a fresh connection, each in a transaction of its own unless one
    begins.

    ``{valid}`` and the other names of ``worlds.World.words`` are replaced in it. Whatever comes back is searched
    for the canary. Beyond that:

    - the answer is the same in two worlds that differ in what the caller may not read, unless ``left_open`` says under
      which name docs/security.md tells that PostgreSQL leaves this open;
    - with ``guesses``, pairs of what is hidden and what does not exist, the answer is the same for both, ``{guess}``
      being either, unless ``guess_left_open`` names it there. Of three pairs one may differ in work: where
      a page of an index ends.
    """

    name: str
    why: str
    sql: str | tuple[str, ...]
    holding: Holding = "valid"
    login: Login = "reader"
    left_open: str = ""
    guesses: tuple[tuple[str, str], ...] = ()
    guess_left_open: str = ""
    temporary: bool = False
    """Whether the database lets everybody make temporary tables, as PostgreSQL does by default."""

    masks: tuple[Mask, ...] = field(default=())

    @property
    def statements(self) -> tuple[str, ...]:
        """``sql`` as a tuple."""
        return (self.sql,) if isinstance(self.sql, str) else self.sql

    def spelled(self, words: Mapping[str, str]) -> list[str]:
        """The statements with ``{name}`` replaced by ``words[name]``; other braces stay."""
        names = re.compile(r"\{(" + "|".join(map(re.escape, words)) + r")\}")
        return [names.sub(lambda found: words[found[1]], statement) for statement in self.statements]


def by_name(attacks: Iterable[Attack]) -> dict[str, Attack]:
    """The attacks by name; a name that is given twice is a mistake."""
    found: dict[str, Attack] = {}
    for attack in attacks:
        if attack.name in found:
            raise ValueError(f"two attacks are called {attack.name!r}")
        found[attack.name] = attack
    return found
