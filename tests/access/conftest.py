"""Fixtures of the tests of access."""

from collections.abc import Iterator

import pytest

from tests.access import moved
from tests.fixtures.database import Database


@pytest.fixture(scope="module")
def doors(database: Database) -> Iterator[moved.Doors]:
    """The doors of the module's database: use a tenant of your own."""
    with moved.opened(database) as opened:
        yield opened


@pytest.fixture
def tenant(request: pytest.FixtureRequest) -> str:
    """A tenant of this test's own."""
    return str(request.node.name)
