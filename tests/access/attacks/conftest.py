"""The two worlds of the attacks, for a module."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from tests.access.attacks import worlds
from tests.fixtures.listener import PLANTED


@dataclass(frozen=True)
class Pair:
    """Two worlds in which a caller may read the same, and much else differs."""

    small: worlds.World
    large: worlds.World

    def __iter__(self) -> Iterator[worlds.World]:
        return iter((self.small, self.large))


@pytest.fixture(autouse=True)
def _attackers_are_told_what_they_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that its own SQL makes of a text is in the log, too; what attackers are told the book itself judges."""
    monkeypatch.setenv("PGAPPNAME", PLANTED)


@pytest.fixture(scope="module")
def pair(server: EmbeddedServer, template: str) -> Iterator[Pair]:
    """Both worlds, as they are built."""
    with worlds.opened(server, template) as small, worlds.opened(server, template, larger=True) as large:
        yield Pair(small, large)
