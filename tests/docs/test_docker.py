"""The container files, as far as they can be checked without an engine: their database is in order."""

import re
import subprocess
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.doctor import Diagnosis, Installation, examine
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


def run(server: EmbeddedServer, name: str, database: str = "app", **given: str) -> "subprocess.CompletedProcess[str]":
    """Run a script of ours as the superuser; ``given`` are variables of psql, the passwords all set."""
    environment = {f"RAGSPINE_{who.upper()}_PASSWORD": password for who, password in PASSWORDS.items()}
    script = "".join(f"\\set {variable} {value}\n" for variable, value in given.items())
    script += (DOCKER / name).read_text(encoding="utf-8")
    return psql(server.url("superuser", database), script, environment)


def prepare(server: EmbeddedServer, name: str, database: str = "app", **given: str) -> None:
    done = run(server, name, database, **given)
    assert (done.returncode, done.stderr) == (0, "")


def diagnose(server: EmbeddedServer, database: str = "app", prefix: str = "app") -> Diagnosis:
    """What the doctor says once the three logins have migrated, ingested and searched."""
    _, _, rest = server.url("superuser", database).partition("@")
    urls = {
        who: f"postgresql://{prefix}_{who}@{rest}&password={quote(word, safe='')}" for who, word in PASSWORDS.items()
    }
    config = {"database_url": urls["reader"], "ingest_url": urls["ingest"], "owner_url": urls["owner"]}
    with RagSpine.open(config=ServiceConfig.load(**config)) as spine:
        key = spine.migrate().grant_key
    with RagSpine.open(config=ServiceConfig.load(**config, grant_key=key)) as spine:
        spine.create_library("acme", "notes").ingest([Document("d", "tents in the rain")])
        assert spine.search("tents", access=Access("acme", {"user:ann"})).hits
        with Installation.open(spine.config) as installation:
            return examine(installation)


def told(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    """(check, level) of every warning and error."""
    return [
        (check.check, finding.level)
        for check in diagnosis.checks
        for finding in check.findings
        if finding.level != "ok"
    ]


def test_both_scripts_make_a_database_that_the_doctor_finds_in_order(bare: EmbeddedServer) -> None:
    with bare:
        prepare(bare, "init.sql")
        prepare(bare, "harden.sql")
        diagnosis = diagnose(bare)
        assert diagnosis.findings("warning", "error") == []
        assert [check.check for check in diagnosis.checks if check.unchecked] == ["folder"]
        assert diagnosis.ok


_HOST = """
CREATE ROLE shop LOGIN PASSWORD 'shop'; CREATE ROLE app_owner LOGIN PASSWORD 'of the host';
ALTER DATABASE app OWNER TO shop; GRANT CREATE ON SCHEMA public TO PUBLIC;
"""
# What an application's role that was granted nothing does with the rights that everybody has.
_USES = (
    "CREATE TEMPORARY TABLE basket (item int)",
    "SELECT seq_scan, n_live_tup FROM pg_stat_all_tables",
    "CREATE TABLE public.ordered (item int)",
)
_OWNER = "SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = 'app'"


def _refused(superuser: "psycopg.Connection[tuple[object, ...]]") -> list[str]:
    """Which of ``_USES`` a new role may not."""
    superuser.execute("DROP ROLE IF EXISTS clerk")
    superuser.execute("CREATE ROLE clerk")
    refused = []
    for use in _USES:
        try:
            with superuser.transaction(force_rollback=True):
                superuser.execute("SET LOCAL ROLE clerk")
                superuser.execute(use)  # type: ignore[call-overload]
        except psycopg.errors.InsufficientPrivilege:
            refused.append(use)
    return refused


def test_init_leaves_an_application_that_lives_there_what_it_has(bare: EmbeddedServer) -> None:
    with bare, psycopg.connect(bare.url("superuser", "app"), autocommit=True) as superuser:
        superuser.execute(_HOST)
        password = "SELECT rolpassword FROM pg_authid WHERE rolname = 'app_owner'"
        before = superuser.execute(password).fetchone()
        prepare(bare, "init.sql", owner="spine_owner", ingest="spine_ingest", reader="spine_reader")
        assert _refused(superuser) == []
        assert superuser.execute(_OWNER).fetchone() == ("shop",)
        assert told(diagnose(bare, prefix="spine")) == [
            ("counters", "warning"),
            ("powers", "warning"),
            ("temporary", "warning"),
        ]
        prepare(bare, "init.sql")
        assert superuser.execute(password).fetchone() == before, "a login that exists keeps its password"


def test_what_harden_takes_from_an_application_is_what_it_says_has_teeth(bare: EmbeddedServer) -> None:
    with bare, psycopg.connect(bare.url("superuser", "app"), autocommit=True) as superuser:
        superuser.execute(_HOST + "CREATE ROLE ragspine_ingest")
        prepare(bare, "harden.sql")
        assert _refused(superuser) == list(_USES)
        assert superuser.execute(_OWNER).fetchone() == ("shop",)
        # What it says gives each back.
        superuser.execute("GRANT TEMPORARY ON DATABASE app TO PUBLIC; GRANT CREATE ON SCHEMA public TO PUBLIC")
        assert _refused(superuser) == [_USES[1]]
        superuser.execute("GRANT pg_monitor TO clerk")
        with superuser.transaction(force_rollback=True):
            superuser.execute("SET LOCAL ROLE clerk")
            superuser.execute(_USES[1])  # type: ignore[call-overload]


def test_init_runs_again_and_in_a_second_database_of_the_server(bare: EmbeddedServer) -> None:
    with bare, psycopg.connect(bare.url("superuser", "app"), autocommit=True) as superuser:
        superuser.execute("CREATE DATABASE second")
        for _ in range(2):
            prepare(bare, "init.sql")
            prepare(bare, "harden.sql")
        prepare(bare, "init.sql", "second", owner="other_owner", ingest="other_ingest", reader="other_reader")
        prepare(bare, "harden.sql", "second")
        diagnose(bare)
        # Each sees the other's owner in the gate, and cannot know whose it is.
        assert told(diagnose(bare, "second", "other")) == [("members", "warning")]


def test_init_without_its_passwords_names_them_and_makes_nothing(bare: EmbeddedServer) -> None:
    with bare, psycopg.connect(bare.url("superuser", "app"), autocommit=True) as superuser:
        script = (DOCKER / "init.sql").read_text(encoding="utf-8")
        some = {"RAGSPINE_OWNER_PASSWORD": "o", "RAGSPINE_INGEST_PASSWORD": "", "RAGSPINE_READER_PASSWORD": ""}
        done = psql(bare.url("superuser", "app"), script, some)
        assert done.returncode == 3
        wanted = "nothing was done: set RAGSPINE_INGEST_PASSWORD, RAGSPINE_READER_PASSWORD to the passwords"
        assert wanted in done.stderr
        assert len(done.stderr.splitlines()) == 1
        made = "SELECT rolname::text FROM pg_roles WHERE rolname ~ '^(app|ragspine)_'"
        assert superuser.execute(made).fetchall() == []
        assert superuser.execute("SELECT FROM pg_extension WHERE extname = 'vector'").fetchall() == []


def test_init_that_fails_half_way_leaves_nothing(bare: EmbeddedServer) -> None:
    with bare, psycopg.connect(bare.url("superuser", "app"), autocommit=True) as superuser:
        superuser.execute("CREATE TYPE public.vector AS (x int)")  # in the way of the extension, made last
        assert run(bare, "init.sql").returncode == 3
        made = "SELECT rolname::text FROM pg_roles WHERE rolname ~ '^(app|ragspine)_'"
        assert superuser.execute(made).fetchall() == []


def test_the_image_copies_what_is_here_and_compose_asks_for_every_password() -> None:
    dockerfile = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    compose = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    init = (DOCKER / "init.sql").read_text(encoding="utf-8")
    assert re.findall(r"^COPY (\S+) ", dockerfile, re.MULTILINE) == ["init.sql", "harden.sql"]
    for name in re.findall(r"\\getenv \w+ (\w+)", init):
        assert f"{name}: ${{{name}:?" in compose
    assert '"127.0.0.1:5432:5432"' in compose, "open to this machine alone"
