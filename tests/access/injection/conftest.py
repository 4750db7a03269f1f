"""For all of these tests."""

from collections.abc import Iterator

import pytest

from tests.fixtures.listener import Listener


@pytest.fixture(autouse=True)
def _names_are_no_texts(listener: Listener) -> Iterator[None]:
    """Here every text is also handed in as a name, which an error may tell."""
    with listener.forgetting():
        yield
