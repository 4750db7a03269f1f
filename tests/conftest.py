"""Registers the fixtures, one file per subject."""

pytest_plugins = [
    "tests.fixtures.server",
    "tests.fixtures.silence",
    "tests.fixtures.pooler",
    "tests.fixtures.database",
    "tests.fixtures.roles",
    "tests.fixtures.spine",
    "tests.fixtures.sealing",
]
