"""One embedded server, many processes: who starts it, who stops it, and what a kill leaves behind."""

import gc
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragspine_pg.connect import postmaster as postmaster_module
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import UnavailableError
from tests.connect.holding import ends, holder, lives, postmaster


@pytest.fixture
def home(stopped_home: Path) -> Iterator[Path]:
    folder = stopped_home
    yield folder
    if (folder / "cluster" / "data" / "postmaster.pid").exists():
        os.kill(postmaster(folder), signal.SIGQUIT)


def _open(home: Path) -> EmbeddedServer:
    return EmbeddedServer.open(home, durable=False)


def _answers(server: EmbeddedServer) -> bool:
    with psycopg.connect(server.reader_url) as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


def test_last_of_two_processes_stops_the_server(home: Path) -> None:
    with _open(home) as server:
        first = postmaster(home)
        with holder(home) as (_, second):
            assert second == first
            server.close()
            assert lives(first)
            with _open(home) as again:  # attaches to the holder's
                assert _answers(again)
                assert postmaster(home) == first
        assert ends(first)
    assert not (home / "cluster" / "data" / "postmaster.pid").exists()


def test_shares_within_one_process_count_one_by_one(home: Path) -> None:
    first, second = _open(home), _open(home)
    pid = postmaster(home)
    first.close()
    first.close()
    assert lives(pid)
    assert _answers(second)
    second.close()
    assert not lives(pid)


def test_forgotten_share_is_given_up(home: Path) -> None:
    server = _open(home)
    pid = postmaster(home)
    del server
    gc.collect()
    assert not lives(pid)


def test_process_that_ends_without_closing_stops_the_server(home: Path) -> None:
    with holder(home, "exit") as (_, pid):
        assert lives(pid)
    assert not lives(pid)


def test_killed_user_leaves_a_server_that_the_next_one_takes_over(home: Path) -> None:
    with holder(home) as (process, pid):
        process.kill()
        process.wait()
    assert lives(pid)
    with _open(home) as server:
        assert postmaster(home) == pid
        assert _answers(server)
    assert not lives(pid)


def test_killed_server_is_started_again_with_its_data(home: Path) -> None:
    with EmbeddedServer.open(home) as server:  # durable: a commit that was confirmed is there
        with psycopg.connect(server.owner_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        first = postmaster(home)
        # A session that outlives the postmaster by a moment: the new server has to wait for it.
        with closing(psycopg.connect(server.owner_url)):
            os.kill(first, signal.SIGKILL)
            assert ends(first)
            with _open(home) as again:
                assert postmaster(home) != first
                with psycopg.connect(again.owner_url) as connection:
                    assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def _pid_file_of_another_process(home: Path) -> "subprocess.Popen[bytes]":
    """Stop the server and leave a pid file that names a living process of the server's own account."""
    with _open(home):
        content = (home / "cluster" / "data" / "postmaster.pid").read_text()
    owner = (home / "cluster").stat()
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        who = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    other: subprocess.Popen[bytes] = subprocess.Popen(["sleep", "60"], **who)
    pid_file = home / "cluster" / "data" / "postmaster.pid"
    pid_file.write_text("\n".join([str(other.pid), *content.splitlines()[1:], ""]))
    os.chown(pid_file, owner.st_uid, owner.st_gid)
    return other


def test_stale_pid_file_with_the_number_of_another_process_is_no_server(home: Path) -> None:
    other = _pid_file_of_another_process(home)
    try:
        with _open(home) as server:
            assert postmaster(home) != other.pid
            assert _answers(server)
        assert other.poll() is None, "stopping must not signal a stranger"
    finally:
        other.kill()
        other.wait()


def test_stale_pid_file_has_teeth(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = _pid_file_of_another_process(home)
    monkeypatch.setattr(postmaster_module, "_forget_stale_pid", lambda cluster: None)
    try:
        with pytest.raises(UnavailableError, match="did not start"):
            _open(home)
    finally:
        other.kill()
        other.wait()
        (home / "cluster" / "data" / "postmaster.pid").unlink()


def test_half_made_cluster_is_thrown_away(passable: Path) -> None:
    home = passable / "home"
    home.mkdir(mode=0o711)
    half = home / "cluster" / "data.killed"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    (half.parent / "data.killed.password").write_text("left over")
    with _open(home) as server:
        assert _answers(server)
    assert sorted(path.name for path in (home / "cluster").iterdir()) == ["data", "log", "run"]


def test_setup_that_was_killed_is_taken_up_at_the_next_start(home: Path) -> None:
    with _open(home) as server, psycopg.connect(server.url("superuser", "postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE ragspine")
        connection.execute("DROP ROLE reader")
    with _open(home) as server:
        assert _answers(server)


def test_first_openers_at_once_make_one_server(passable: Path) -> None:
    home = passable / "home"
    with ThreadPoolExecutor() as threads:
        opening = threads.map(_open, [home] * 3)
        with holder(home) as (_, pid):
            opened = list(opening)
            assert postmaster(home) == pid
            assert all(_answers(server) for server in opened)
            for server in opened:
                server.close()
            assert lives(pid)
    assert not lives(pid)


def test_last_user_stops_the_server_while_programs_are_being_started(home: Path) -> None:
    # Between fork and exec, a started program holds a copy of every open file, so of a lease too.
    server = _open(home)
    pid = postmaster(home)
    copy = os.dup(_descriptor_of(home / "lease"))
    threading.Timer(0.05, os.close, [copy]).start()
    server.close()
    assert not lives(pid)


def _descriptor_of(path: Path) -> int:
    for descriptor in Path("/proc/self/fd").iterdir():
        if descriptor.is_symlink() and os.readlink(descriptor) == str(path):
            return int(descriptor.name)
    raise AssertionError(f"{path} is not open")


def test_forked_child_that_closes_does_not_stop_the_parents_server(home: Path) -> None:
    with holder(home, "fork") as (_, pid):
        assert lives(pid)
        assert postmaster(home) == pid
    assert not lives(pid)


def test_removed_socket_makes_the_next_opener_start_anew(home: Path) -> None:
    with _open(home):
        first = postmaster(home)
        (home / "cluster" / "run" / ".s.PGSQL.5432").unlink()
        with _open(home) as again:
            assert postmaster(home) != first
            assert _answers(again)


def test_removed_home_is_no_error_at_the_end(home: Path) -> None:
    server = _open(home)
    pid = postmaster(home)
    os.kill(pid, signal.SIGQUIT)
    assert ends(pid)
    home.rename(home.with_name("elsewhere"))
    server.close()
