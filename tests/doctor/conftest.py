"""Installations to examine, with a filled library each."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import psycopg
import pytest

from ragspine_pg import Document, RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.target import open_source
from ragspine_pg.doctor import Diagnosis, Finding, Installation, examine
from tests.fixtures.database import Database, clone


def fill(database: Database) -> None:
    """A library with documents of three access classes."""
    with RagSpine.open(database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key) as spine:
        library = spine.create_library("doctor", "handbook", chunker="parent_child", fields={"year": "number"})
        library.ingest(
            [
                Document("returns", "Returns are accepted within 30 days.", readers={"group:staff"}),
                Document("open", "Everybody reads about returns. And more.", title="Open", metadata={"year": 2024}),
                Document("secret", "Nobody reads this.", sensitivity="RESTRICTED"),
            ]
        )


def config_of(database: Database, **changes: str | None) -> ServiceConfig:
    """The settings that name every login; ``changes`` replaces some, None leaves one out."""
    settings: dict[str, str | None] = {
        "database_url": database.reader_url,
        "ingest_url": database.ingest_url,
        "owner_url": database.owner_url,
        "grant_key": database.grant_key,
        **changes,
    }
    return ServiceConfig.load(**settings)


def diagnose(
    database: Database, changes: Mapping[str, str | None] | None = None, *, single_login: bool = False
) -> Diagnosis:
    """Examine a database as its logins, or as ``changes`` names them."""
    with Installation.open(config_of(database, **(changes or {})), single_login=single_login) as installation:
        return examine(installation)


def told(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    """(check, level, what) of every warning and error."""
    return [
        (check.check, finding.level, finding.what)
        for check in diagnosis.checks
        for finding in check.findings
        if finding.level != "ok"
    ]


def fixes(diagnosis: Diagnosis) -> list[Finding]:
    """Warnings and errors that do not say what to do."""
    return [finding for finding in diagnosis.findings("warning", "error") if not finding.fix]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, roles_at_rest: None) -> None:
    """Nothing of the surrounding environment decides, but which PostgreSQL the tests run on."""
    for name in ServiceConfig.model_fields.keys() - {"pg_bin"}:
        monkeypatch.delenv(f"RAGSPINE_{name.upper()}", raising=False)


@pytest.fixture(scope="module")
def _filled_template(server: EmbeddedServer, template: str) -> Iterator[str]:
    """A database with a filled library, to clone."""
    with clone(server, template) as made:
        fill(made)
        yield made.name


@pytest.fixture
def filled(server: EmbeddedServer, _filled_template: str) -> Iterator[Database]:
    """A database of the test's own, with a filled library."""
    with clone(server, _filled_template) as alone:
        yield alone


Plant = Callable[[str], None]


@pytest.fixture
def plant(filled: Database) -> Plant:
    """Runs SQL as the superuser, committed: a fault."""

    def run(text: str) -> None:
        with psycopg.connect(filled.superuser_url, autocommit=True) as connection:
            connection.execute(text.replace("<database>", filled.name))

    return run


@pytest.fixture(scope="module")
def shared(database: Database) -> Database:
    """The module's database, filled."""
    fill(database)
    return database


@pytest.fixture
def setup(shared: Database) -> Iterator[psycopg.Connection[Any]]:
    """A superuser inside a transaction that is rolled back: roles are the whole server's."""
    with psycopg.connect(shared.superuser_url) as connection:
        yield connection
        connection.rollback()


def lent(shared: Database, setup: psycopg.Connection[Any], login: str) -> Installation:
    """An installation that is examined over the lent connection, uncommitted faults included."""
    config = config_of(shared, **dict.fromkeys(("database_url", "ingest_url", "owner_url")))
    return Installation(
        config,
        {login: "lent"},  # type: ignore[dict-item]
        shared.grant_key,
        sources={login: open_source(setup)},  # type: ignore[dict-item]
    )


def examined(shared: Database, setup: psycopg.Connection[Any], login: str = "owner") -> list[tuple[str, str, str]]:
    """What is found so."""
    return told(examine(lent(shared, setup, login), audit=False))
