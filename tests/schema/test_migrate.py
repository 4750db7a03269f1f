"""Migrating: once or again, alone or at once, on anything that can be handed in."""

import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from sqlalchemy.orm import Session

import ragspine_pg
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.errors import ConfigurationError, SchemaError, UnavailableError
from ragspine_pg.schema.check import check
from ragspine_pg.schema.migrate import downgrade, migrate
from ragspine_pg.schema.revision import HEAD
from ragspine_pg.schema.snapshot import snapshot
from tests.fixtures.database import Database


def _exists(url: str) -> bool:
    return snapshot(url) != ""


def _engine(url: str) -> sqlalchemy.Engine:
    return sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=sqlalchemy.NullPool
    )


def test_migrating_twice_changes_nothing(empty_url: str) -> None:
    first = migrate(empty_url)
    before = snapshot(empty_url)
    second = migrate(empty_url)
    assert (first.before, first.after) == (None, HEAD)
    assert (second.before, second.after, second.grant_key) == (HEAD, HEAD, None)
    assert snapshot(empty_url) == before != ""


def test_migrating_again_locks_no_table(database: Database) -> None:
    with psycopg.connect(database.owner_url) as reading, psycopg.connect(database.owner_url) as owner:
        reading.execute("SELECT count(*) FROM ragspine.document, ragspine.chunk, ragspine.tenant")
        owner.execute("SET lock_timeout = '2s'")
        migrate(owner)
        owner.rollback()


def test_down_and_up_again_equals_fresh(empty_url: str) -> None:
    migrate(empty_url)
    fresh = snapshot(empty_url)
    downgrade(empty_url)
    assert snapshot(empty_url) == ""
    migrate(empty_url)
    assert snapshot(empty_url) == fresh


def test_four_at_once_all_succeed(empty_url: str) -> None:
    command = [sys.executable, "-c", "import sys; from ragspine_pg.schema.migrate import migrate; migrate(sys.argv[1])"]
    running = [subprocess.Popen([*command, empty_url], stderr=subprocess.PIPE, text=True) for _ in range(4)]
    errors = [process.communicate(timeout=60)[1] for process in running]
    assert [(process.returncode, error) for process, error in zip(running, errors, strict=True)] == [(0, "")] * 4
    with psycopg.connect(empty_url) as connection:
        check(connection)
        assert connection.execute("SELECT count(*) FROM ragspine.grant_key").fetchone() == (1,)


_SECOND = """
import sys
from ragspine_pg.schema import environment, migrate
if sys.argv[2] == "without the lock":
    migrate.lock = lambda connection: None
    environment.PREPARE = tuple(text for text in environment.PREPARE if "advisory" not in text)
migrate.migrate(sys.argv[1])
"""


def _second_meets_an_open_migration(url: str, how: str) -> int:
    """The exit status of a second migration that came while the first one was not committed yet."""
    with psycopg.connect(url) as first, psycopg.connect(url, autocommit=True) as watching:
        first.execute("SELECT 1")
        migrate(first)
        process = subprocess.Popen([sys.executable, "-c", _SECOND, url, how], stderr=subprocess.DEVNULL)
        query = """
            SELECT count(*) FROM pg_catalog.pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
        deadline = time.monotonic() + 30
        while watching.execute(query).fetchone() != (1,):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        first.commit()
    return process.wait(timeout=30)


def test_second_migration_waits_for_the_first(empty_url: str) -> None:
    assert _second_meets_an_open_migration(empty_url, "with the lock") == 0


def test_second_migration_waits_for_the_first_has_teeth(empty_url: str) -> None:
    assert _second_meets_an_open_migration(empty_url, "without the lock") != 0


@pytest.mark.parametrize("commit", [True, False])
def test_open_transaction_stays_the_lenders_to_end(empty_url: str, commit: bool) -> None:
    with psycopg.connect(empty_url) as connection:
        connection.execute("SELECT 1")
        migrate(connection)
        (connection.commit if commit else connection.rollback)()
        assert not connection.closed
    assert _exists(empty_url) is commit


@pytest.mark.parametrize("commit", [True, False])
def test_open_alchemy_transaction_stays_the_lenders_to_end(empty_url: str, commit: bool) -> None:
    with _engine(empty_url).connect() as connection:
        connection.exec_driver_sql("SELECT 1")
        migrate(connection)
        (connection.commit if commit else connection.rollback)()
        assert not connection.closed
    assert _exists(empty_url) is commit


def test_session_is_migrated_in_its_transaction(empty_url: str) -> None:
    with Session(_engine(empty_url)) as session:
        migrate(session)
        assert session.in_transaction()
        session.rollback()
        assert not _exists(empty_url)
        migrate(session)
        session.commit()
    assert _exists(empty_url)


def test_idle_connections_and_engines_are_committed(make_empty: Callable[..., str]) -> None:
    url = make_empty()
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection:
        migrate(connection)
        assert not connection.closed
    assert _exists(url)
    url = make_empty()
    with _engine(url).connect() as alchemy:
        migrate(alchemy)
        assert not alchemy.closed
        assert not alchemy.in_transaction()
    assert _exists(url)
    url = make_empty()
    migrate(_engine(url))
    assert _exists(url)


def test_lent_transaction_keeps_its_settings(empty_url: str) -> None:
    with psycopg.connect(empty_url) as connection:
        connection.execute("SET search_path = pg_temp, public")
        migrate(connection)
        assert connection.execute("SHOW search_path").fetchone() == ("pg_temp, public",)
        assert connection.execute("SHOW check_function_bodies").fetchone() == ("on",)


def test_autocommit_engine_is_refused(empty_url: str) -> None:
    engine = _engine(empty_url).execution_options(isolation_level="AUTOCOMMIT")
    with pytest.raises(ConfigurationError, match="AUTOCOMMIT"):
        migrate(engine)


@pytest.mark.parametrize("target", [42, b"postgresql://", None])
def test_other_things_are_refused(target: Any) -> None:
    with pytest.raises(ConfigurationError, match="cannot migrate a"):
        migrate(target)


def test_unreachable_and_malformed_urls_say_so_without_the_password() -> None:
    with pytest.raises(UnavailableError) as unreachable:
        migrate("postgresql://user:hidden@localhost:1/x?connect_timeout=1")
    with pytest.raises(ConfigurationError) as malformed:
        migrate("postgresql://user:hidden@localhost/x?no_such_option=1")
    assert "hidden" not in f"{unreachable.value} {malformed.value}"


def test_failed_migration_leaves_nothing(empty_url: str) -> None:
    with pytest.raises(ConfigurationError):
        migrate(empty_url, grant_key="nonsense")
    assert not _exists(empty_url)


@pytest.mark.parametrize("path", ["", "public", '"$user", public'])
def test_works_whatever_the_search_path_and_wherever_pgvector_is(make_empty: Callable[..., str], path: str) -> None:
    url = make_empty('odd "schema')
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", [path])
        migrate(connection)
        row = connection.execute(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute"
            " WHERE attrelid = 'ragspine.chunk_lexical'::regclass AND attname = 'impacts'"
        ).fetchone()
    assert row == ('"odd ""schema".sparsevec(1000000000)',)


def test_login_without_create_on_the_database_can_migrate_a_schema_made_for_it(
    server: EmbeddedServer, empty_url: str
) -> None:
    database = psycopg.conninfo.conninfo_to_dict(empty_url)["dbname"]
    with psycopg.connect(server.url("superuser", str(database)), autocommit=True) as superuser:
        superuser.execute(f"ALTER DATABASE {database} OWNER TO postgres")  # type: ignore[call-overload]
        superuser.execute("CREATE SCHEMA ragspine AUTHORIZATION owner")
    assert migrate(empty_url).after == HEAD


def test_missing_extension_is_installed_where_allowed_and_otherwise_named(
    server: EmbeddedServer, empty_url: str
) -> None:
    database = str(psycopg.conninfo.conninfo_to_dict(empty_url)["dbname"])
    with psycopg.connect(server.url("superuser", database), autocommit=True) as superuser:
        superuser.execute("DROP EXTENSION vector")
    with pytest.raises(SchemaError, match="CREATE EXTENSION vector"):
        migrate(empty_url)
    migrate(server.url("superuser", database))
    assert "public.sparsevec" in snapshot(empty_url)


def test_schema_ahead_of_the_code_is_left_alone(fresh_database: Database) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("UPDATE ragspine.alembic_version SET version_num = 'rpg9999'")
    before = snapshot(fresh_database.owner_url)
    for act in (migrate, downgrade):
        with pytest.raises(SchemaError, match="rpg9999") as caught:
            act(fresh_database.owner_url)
        assert "upgrade the package" in str(caught.value)
        assert caught.value.ids == {"found": "rpg9999", "needed": HEAD}
    assert snapshot(fresh_database.owner_url) == before


@pytest.mark.parametrize("login", ["owner", "ingest", "reader"])
def test_every_login_can_check(database: Database, login: str) -> None:
    with psycopg.connect(getattr(database, f"{login}_url")) as connection:
        check(connection)


def test_check_names_the_command_where_nothing_was_migrated(empty_url: str) -> None:
    with psycopg.connect(empty_url) as connection:
        with pytest.raises(SchemaError, match="ragspine-pg migrate"):
            check(connection)
        assert connection.execute("SELECT 1").fetchone() == (1,)  # the transaction is not spoilt


def test_check_tells_behind_from_ahead(fresh_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(fresh_database.owner_url) as connection:
        monkeypatch.setattr("ragspine_pg.schema.check.HEAD", "rpg0002")
        with pytest.raises(SchemaError, match="needs rpg0002; run `ragspine-pg migrate`"):
            check(connection)
        monkeypatch.undo()
        connection.execute("UPDATE ragspine.alembic_version SET version_num = 'rpg9999'")
        with pytest.raises(SchemaError, match="a newer release migrated it"):
            check(connection)


def test_grant_key_is_made_once_and_shown_once(empty_url: str) -> None:
    shown = migrate(empty_url).grant_key
    assert shown is not None
    assert migrate(empty_url).grant_key is None
    key = GrantKey.parse(shown)
    with psycopg.connect(empty_url) as connection:
        stored = connection.execute("SELECT key_id, inner_pad, outer_pad FROM ragspine.grant_key").fetchall()
    assert stored == [(key.key_id, key.inner_pad, key.outer_pad)]


def test_given_grant_key_is_stored_once(empty_url: str) -> None:
    key = GrantKey.new()
    for _ in range(2):
        assert migrate(empty_url, grant_key=key.text).grant_key is None
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT key_id FROM ragspine.grant_key").fetchall() == [(key.key_id,)]
        connection.execute("UPDATE ragspine.grant_key SET retired_at = now()")
    with pytest.raises(ConfigurationError, match="was retired"):
        migrate(empty_url, grant_key=key.text)


def test_result_does_not_print_the_key(empty_url: str) -> None:
    result = migrate(empty_url)
    assert result.grant_key is not None
    assert result.grant_key.split(":")[1] not in repr(result) + str(result)


def test_migrations_run_from_a_path_with_blanks_and_percent_signs(empty_url: str, tmp_path: Path) -> None:
    root = Path(ragspine_pg.__file__).parent
    copy = tmp_path / "with blank 100%s" / "ragspine_pg"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__", "_sql", "_migrations"))
    for packaged, source in (("_sql", "sql"), ("_migrations", "migrations")):
        shutil.copytree(root.parent / source, copy / packaged, ignore=shutil.ignore_patterns("__pycache__"))
    code = "import sys, ragspine_pg.schema.migrate as m; assert '100%s' in m.__file__; m.migrate(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", code, empty_url], check=True, cwd=copy.parent, env={"PYTHONPATH": str(copy.parent)}
    )
    assert _exists(empty_url)


@pytest.mark.parametrize("login", ["reader_url", "ingest_url"])
def test_a_login_that_owns_nothing_is_told_so(database: Database, login: str) -> None:
    with pytest.raises(ConfigurationError, match="owns the database"):
        migrate(getattr(database, login))


def test_an_owner_who_lost_the_gate_is_told_what_to_grant(
    empty_url: str, server: EmbeddedServer, roles_changed: None
) -> None:
    database = str(conninfo_to_dict(empty_url)["dbname"])
    name, password = f"lost_{secrets.token_hex(4)}", secrets.token_hex(16)
    login = sql.Identifier(name)
    with psycopg.connect(server.url("superuser", database), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(login, password))
        admin.execute(sql.SQL("GRANT ragspine_gate TO {}").format(login))
        admin.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(sql.Identifier(database), login))
        try:
            url = make_conninfo(empty_url, user=name, password=password)
            migrate(url)
            admin.execute(sql.SQL("REVOKE ragspine_gate FROM {}").format(login))
            with pytest.raises(ConfigurationError, match="GRANT ragspine_gate TO"):
                migrate(url)
            admin.execute(sql.SQL("GRANT ragspine_gate TO {}").format(login))
            assert migrate(url).after == HEAD
        finally:
            admin.execute(sql.SQL("ALTER DATABASE {} OWNER TO CURRENT_USER").format(sql.Identifier(database)))
            admin.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(login))
            admin.execute("DROP SCHEMA IF EXISTS ragspine CASCADE")
            admin.execute(sql.SQL("DROP ROLE {}").format(login))
