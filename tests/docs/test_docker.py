"""The container files, as far as they can be checked without an engine: their database is in order."""

import re
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.doctor import Installation, examine
from tests.schema.script import psql

DOCKER = Path(__file__).parents[2] / "docker"
PASSWORDS = {"owner": "o'1", "ingest": 'i"2', "reader": "r 3"}


@pytest.fixture
def bare(passable: Path) -> EmbeddedServer:
    """A server of this test's own with none of our roles, and an empty database ``app``."""
    server = EmbeddedServer.open(passable / "home", durable=False)
    with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE ragspine")
        for role in ("reader", "ingest", "owner", "ragspine_reader", "ragspine_ingest", "ragspine_gate"):
            connection.execute(f"DROP OWNED BY {role}")  # type: ignore[call-overload]
            connection.execute(f"DROP ROLE {role}")  # type: ignore[call-overload]
        connection.execute("CREATE DATABASE app")
    return server


def test_init_makes_a_database_that_the_doctor_finds_in_order(bare: EmbeddedServer) -> None:
    with bare:
        environment = {f"RAGSPINE_{who.upper()}_PASSWORD": password for who, password in PASSWORDS.items()}
        done = psql(bare.url("superuser", "app"), (DOCKER / "init.sql").read_text(encoding="utf-8"), environment)
        assert (done.returncode, done.stderr) == (0, "")
        _, _, rest = bare.url("superuser", "app").partition("@")
        urls = {
            who: f"postgresql://app_{who}@{rest}&password={quote(word, safe='')}" for who, word in PASSWORDS.items()
        }
        config = {"database_url": urls["reader"], "ingest_url": urls["ingest"], "owner_url": urls["owner"]}
        with RagSpine.open(config=ServiceConfig.load(**config)) as spine:
            key = spine.migrate().grant_key
        with RagSpine.open(config=ServiceConfig.load(**config, grant_key=key)) as spine:
            spine.create_library("acme", "notes").ingest([Document("d", "tents in the rain")])
            assert spine.search("tents", access=Access("acme", {"user:ann"})).hits
            with Installation.open(spine.config) as installation:
                diagnosis = examine(installation)
        assert diagnosis.findings("warning", "error") == []
        assert diagnosis.ok


def test_the_image_copies_what_is_here_and_compose_asks_for_every_password() -> None:
    dockerfile = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    compose = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    init = (DOCKER / "init.sql").read_text(encoding="utf-8")
    assert re.findall(r"^COPY (\S+) ", dockerfile, re.MULTILINE) == ["init.sql"]
    for name in re.findall(r"\\getenv \w+ (\w+)", init):
        assert f"{name}: ${{{name}:?" in compose
    assert '"127.0.0.1:5432:5432"' in compose, "open to this machine alone"
