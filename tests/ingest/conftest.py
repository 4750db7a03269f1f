"""Fixtures of the ingest tests."""

import pytest

from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf


@pytest.fixture
def shelf(database: Database) -> Shelf:
    """An empty English library of a tenant of its own, cut by ``default``."""
    return Shelf(database)
