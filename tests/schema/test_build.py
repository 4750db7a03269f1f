"""A database that another build of the same revision has made is told from one of ours, before anything runs on it."""

import asyncio
from pathlib import Path

import psycopg
import pytest

from ragspine_pg import Access, AsyncRagSpine, Document, RagSpine
from ragspine_pg.config import ServiceConfig
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import SchemaError, SchemaMismatch
from ragspine_pg.schema.build import BUILD
from ragspine_pg.schema.check import check
from ragspine_pg.schema.generate import build_digest, build_module, function_texts
from ragspine_pg.schema.migrate import downgrade, migrate, sql_script
from ragspine_pg.schema.revision import HEAD, STAMP, VERSION_TABLE
from tests.fixtures.database import Database
from tests.schema.script import psql

FORGET = f"COMMENT ON TABLE ragspine.{VERSION_TABLE} IS NULL"


def stamp_of(url: str) -> str | None:
    with psycopg.connect(url) as connection:
        query = "SELECT obj_description(to_regclass('ragspine.alembic_version'), 'pg_class')"
        ((found,),) = connection.execute(query).fetchall()
    return None if found is None else str(found)


def test_the_digest_is_that_of_the_tables_and_functions() -> None:
    text = (Path(__file__).parents[2] / "ragspine_pg/schema/build.py").read_text(encoding="utf-8")
    assert text == build_module(build_digest(function_texts())), "run `python -m ragspine_pg.schema.generate`"


def test_the_digest_has_teeth() -> None:
    texts = function_texts()
    name = sorted(texts)[0]
    assert build_digest({**texts, name: texts[name].replace("SELECT", "SELECT ", 1)}) != BUILD
    assert build_digest({other: text for other, text in texts.items() if other != name}) != BUILD
    assert build_digest({**texts, name: f"-- Another word about it.\n{texts[name]}"}) == BUILD


def test_fresh_and_down_and_up_again_and_by_script_leave_the_same(make_empty) -> None:
    fresh, by_script = make_empty(), make_empty()
    migrate(fresh)
    assert stamp_of(fresh) == STAMP
    downgrade(fresh)
    migrate(fresh)
    assert stamp_of(fresh) == STAMP
    done = psql(by_script, sql_script())
    assert (done.returncode, stamp_of(by_script)) == (0, STAMP)


@pytest.mark.parametrize("login", ["owner", "ingest", "reader"])
def test_every_login_is_refused_on_another_builds_database(fresh_database: Database, login: str) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute(FORGET)
    with (
        psycopg.connect(getattr(fresh_database, f"{login}_url")) as connection,
        pytest.raises(SchemaMismatch, match="ragspine-pg doctor") as caught,
    ):
        check(connection)
    assert isinstance(caught.value, SchemaError)
    assert (caught.value.code, caught.value.ids) == ("schema_mismatch", {"found": HEAD, "needed": HEAD})


def test_migrate_neither_mends_nor_covers_up_another_builds_database(fresh_database: Database) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute(f"COMMENT ON TABLE ragspine.{VERSION_TABLE} IS 'build of yesterday'")
    with pytest.raises(SchemaMismatch, match="another build"):
        migrate(fresh_database.owner_url)
    assert stamp_of(fresh_database.owner_url) == "build of yesterday"
    downgrade(fresh_database.owner_url)
    migrate(fresh_database.owner_url)
    assert stamp_of(fresh_database.owner_url) == STAMP


def test_an_older_builds_folder_is_named_when_it_is_opened(passable: Path) -> None:
    config = ServiceConfig.load(home=passable / "home")
    access = Access("acme", {"user:me"})
    with EmbeddedServer.open(passable / "home", durable=False) as server:
        with RagSpine.open(config=config) as spine:
            spine.create_library("acme", "notes").ingest([Document("tents", "A tent is returned dry.")])
        with psycopg.connect(server.owner_url) as connection:
            connection.execute(FORGET)
            connection.execute("ALTER TABLE ragspine.library DROP COLUMN description CASCADE")
        with pytest.raises(SchemaMismatch, match="RAGSPINE_HOME") as caught:
            RagSpine.open(config=config)
        assert str(passable / "home") in str(caught.value)
        with pytest.raises(SchemaMismatch, match="RAGSPINE_HOME"):
            asyncio.run(AsyncRagSpine.open(config=config))
        # By its URLs it is a database like any other: the first call says it.
        with (
            RagSpine.open(server.reader_url, grant_key=server.grant_key) as spine,
            pytest.raises(SchemaMismatch, match="ragspine-pg doctor"),
        ):
            spine.search("tent", access=access)


def test_a_missing_column_is_said_as_such_where_the_build_is_said_to_be_ours(fresh_database: Database) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("ALTER TABLE ragspine.library DROP COLUMN description CASCADE")
    found = fresh_database
    with (
        RagSpine.open(found.reader_url, ingest=found.ingest_url, grant_key=found.grant_key) as spine,
        pytest.raises(SchemaError, match="lacks a column; `ragspine-pg doctor`"),
    ):
        spine.create_library("acme", "notes")
