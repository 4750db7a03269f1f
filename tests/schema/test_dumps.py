"""The owner dumps a running installation and restores it elsewhere, by the commands of the guide to hosting."""

import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from ragspine_pg import Access, Document, RagSpine
from ragspine_pg.connect.binaries import find_binaries
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.schema.vector_index import VectorIndex, build_vector_index
from tests.access import world
from tests.docs.blocks import blocks
from tests.fixtures.database import Database, empty_database
from tests.fixtures.spine import Plant, open_spine, plant_function

GUIDE = Path(__file__).parents[2] / "docs/guide/hosting.md"
PLAIN, FORCED = (block.code for block in blocks(GUIDE, "sh") if "pg_dump" in block.code)
(FORCE,) = (block.code for block in blocks(GUIDE, "sql"))
OLD, NEW = "postgresql://app_owner@old/app", "postgresql://app_owner@new/app"

WAYS = ("search", "search, one hit", "search, expanded", "SQL search_json", "SQL libraries", "store")
CALLERS = (world.STAFF, world.FINANCE, world.OUTSIDER, world.NOBODY, world.STRANGER)
WRITER = Access("acme", {"user:writer"})
FEW = ("index_from CONSTANT bigint := 20000", "index_from CONSTANT bigint := 3")
INDEXES = "SELECT indexrelid::regclass::text FROM pg_index WHERE indexrelid::regclass::text ~ '__hnsw_' AND indisvalid"

pytestmark = pytest.mark.usefixtures("roles_at_rest")
needs_dump = pytest.mark.skipif(
    not (find_binaries().folder / "pg_dump").exists(), reason="this PostgreSQL comes without pg_dump"
)


def build(spine: RagSpine) -> None:
    """Two tenants, rights of every kind, vectors, three versions, deletes and relabels, and what an ingest left."""
    world.build(spine, embedded=True)
    library = spine.library("acme", "handbook")
    library.ingest([Document(f"more-{n}", f"{world.QUESTION}, {n} times", metadata={"n": n}) for n in range(9)])
    library.publish(library.rebuild(chunker="default").version)
    library.relabel("more-1", readers={"group:finance"})
    library.relabel("more-2", sensitivity="RESTRICTED")
    library.delete("more-3")
    library.rebuild(k1=1.5)
    library.ingest([Document("late", f"{world.QUESTION}, late", readers={"user:ann"})])  # which that version lacks
    spine.create_library("acme", "gone").ingest([Document("d", "dropped")])
    spine.library("acme", "gone").drop()
    spine.create_library("acme", "busy", embedding=world.MODEL)


def answers(spine: RagSpine, database: Database) -> dict[str, str]:
    """What each caller is told in each mode, in Python and in SQL."""
    told = {}
    for name, mode in world.MODES.items():
        for way, ask in world.doors(spine, database, mode=mode).items():
            if mode.embedded and way in WAYS:
                told.update({f"{name}, {way}, {caller}": ask(caller) for caller in CALLERS})
    return told


@contextmanager
def at_work(spine: RagSpine) -> Iterator[None]:
    """Somebody ingests three documents at a time, and somebody searches, all the while."""
    stop, failed = threading.Event(), []

    def keep(doing: Callable[[int], object]) -> None:
        n = 0
        try:
            while not stop.is_set():
                doing(n)
                n += 1
        except Exception as error:  # noqa: BLE001 - raised by the test
            failed.append(error)
        if n < 3:
            failed.append(AssertionError("it stood still"))

    library = spine.library("acme", "busy")

    def write(n: int) -> None:
        library.ingest(Document(f"{n}-{part}", f"order {n} of part {part}", readers={"user:writer"}) for part in "abc")

    workers = [
        threading.Thread(target=keep, args=[doing])
        for doing in (write, lambda n: spine.search(world.QUESTION, access=world.STAFF))
    ]
    for worker in workers:
        worker.start()
    try:
        while not spine.search("order", access=WRITER, libraries="busy").hits and not failed:
            pass
        yield
    finally:
        stop.set()
        for worker in workers:
            worker.join()
    assert failed == []


def run(script: str, old: Database, new: Database, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run commands of the guide, all of which have to succeed, on these two databases."""
    script = script.replace(OLD, f"'{old.owner_url}'").replace(NEW, f"'{new.owner_url}'")
    assert "app_owner" not in script
    outer = {name: value for name, value in os.environ.items() if not name.startswith("RAGSPINE_")}
    path = f"{find_binaries().folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    settings = {
        "RAGSPINE_DATABASE_URL": new.reader_url,
        "RAGSPINE_INGEST_URL": new.ingest_url,
        "RAGSPINE_OWNER_URL": new.owner_url,
        "RAGSPINE_GRANT_KEY": new.grant_key,
    }
    return subprocess.run(
        ["/bin/sh", "-eu"],
        input=script,
        env={**outer, **settings, "PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def owner(database: Database, statement: str) -> None:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


def found_by_owner(database: Database, statement: str) -> list[object]:
    with psycopg.connect(database.owner_url) as connection:
        return [row[0] for row in connection.execute(statement).fetchall()]  # type: ignore[call-overload]


@pytest.fixture
def new(server: EmbeddedServer, fresh_database: Database, vector_schema: str) -> Iterator[Database]:
    """A database with pgvector, as an administrator leaves it to the owner."""
    name = f"restored_{secrets.token_hex(6)}"
    empty_database(server, name, vector_schema=vector_schema)
    urls = {f"{login}_url": server.url(login, name) for login in ("owner", "ingest", "reader", "superuser")}
    yield Database(name=name, grant_key=fresh_database.grant_key, log_path=server.log_path, **urls)
    with psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@needs_dump
@pytest.mark.parametrize("forced", [False, True], ids=["plain", "forced"])
def test_what_a_running_installations_owner_dumps_is_restored_whole(
    fresh_database: Database, new: Database, plant: Plant, vector_schema: str, tmp_path: Path, forced: bool
) -> None:
    old = fresh_database
    with open_spine(old) as spine:
        build(spine)
        plant("vector_index_ddl_v1", FEW)
        assert build_vector_index(old.owner_url, "acme", "handbook") is VectorIndex.BUILT
        plant("vector_index_ddl_v1")
        if forced:
            owner(old, FORCE)
        told, granted = answers(spine, old), spine.grant(world.STAFF, seconds=600)
        first = spine.search(world.QUESTION, access=world.STAFF, libraries="handbook", k=2)
        rest = spine.search(world.QUESTION, access=world.STAFF, libraries="handbook", k=2, after=first.cursor)
        versions = spine.library("acme", "handbook").versions()
        with at_work(spine):
            done = run(FORCED if forced else PLAIN, old, new, tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        assert "0 errors, 0 warnings" in done.stdout, done.stdout
    (written,) = found_by_owner(new, "SELECT count(*) FROM ragspine.document WHERE document_id ~ '^[0-9]+-[abc]$'")
    assert isinstance(written, int)
    assert written > 0
    assert written % 3 == 0, "an ingest is there as a whole or not at all"
    with open_spine(new) as spine:
        assert answers(spine, new) == told
        again = spine.search(world.QUESTION, access=world.STAFF, libraries="handbook", k=2, after=first.cursor)
        assert again.to_json() == rest.to_json()
        assert spine.library("acme", "handbook").versions() == versions
        with psycopg.connect(new.reader_url) as connection:
            connection.execute("SELECT ragspine.assume(%s)", [granted])
            assert connection.execute("SELECT count(*) > 0 FROM ragspine.search('order')").fetchone() == (True,)
        goes_on(spine, new, vector_schema)
    checked = run("ragspine-pg doctor --deep", old, new, tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert "0 errors, 0 warnings" in checked.stdout, checked.stdout


def goes_on(spine: RagSpine, database: Database, vector_schema: str) -> None:
    """All that an installation does: ingest, rebuild, roll back, index, new libraries and tenants."""
    assert len(found_by_owner(database, INDEXES)) == 1
    owner(database, f"DROP INDEX {found_by_owner(database, INDEXES)[0]}")
    library = spine.library("acme", "handbook")
    library.ingest([Document("new", "A zeppelin returns.", readers={"group:staff"}), *world.HANDBOOK])
    assert [hit.document_id for hit in spine.search("zeppelin", access=world.STAFF).hits][:1] == ["new"]
    library.publish(library.rebuild(chunker="parent_child").version)
    library.rollback()
    spine.create_library("acme", "gone").ingest([Document("d", "made again")])
    spine.create_library("initech", "first", embedding=world.MODEL).ingest([Document("d", "made here")])
    plant_function(database, "vector_index_ddl_v1", FEW, vector_schema=vector_schema)
    spine.optimize("acme", "handbook")
    assert len(found_by_owner(database, INDEXES)) == 1
    plant_function(database, "vector_index_ddl_v1", vector_schema=vector_schema)


@needs_dump
@pytest.mark.parametrize("loudly", [True, False], ids=["refused", "empty"])
def test_a_forced_owner_without_its_policy_dumps_nothing_and_the_doctor_says_so_has_teeth(
    fresh_database: Database, new: Database, tmp_path: Path, loudly: bool
) -> None:
    old = fresh_database
    with open_spine(old) as spine:
        world.build(spine)
    owner(old, FORCE.replace("EXECUTE format('CREATE POLICY", "CONTINUE; EXECUTE format('CREATE POLICY"))
    owner(old, "ALTER TABLE ragspine.document FORCE ROW LEVEL SECURITY")
    done = run((PLAIN if loudly else FORCED).splitlines()[0], old, new, tmp_path)
    if loudly:
        assert done.returncode != 0
        assert 'row-level security policy for table "document"' in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")
    checked = run("ragspine-pg doctor", new, old, tmp_path)
    assert checked.returncode == 1
    assert "forced on the owner of table document, and no policy shows the owner every row" in checked.stdout
