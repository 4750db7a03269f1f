"""What an embedded server grants and to whom, where it may lie, and under which account it runs."""

import codecs
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import ConfigurationError
from tests.connect.holding import postmaster

_UNSHARE = ["unshare", "-U", "--map-user=65534", "--map-group=65534", "true"]

needs_namespace = pytest.mark.skipif(
    shutil.which("unshare") is None or subprocess.run(_UNSHARE, capture_output=True).returncode != 0,
    reason="user namespaces are not allowed here",
)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change accounts")


def _open(home: Path) -> EmbeddedServer:
    return EmbeddedServer.open(home, durable=False)


def _setting(server: EmbeddedServer, name: str) -> str:
    with psycopg.connect(server.reader_url) as connection:
        row = connection.execute("SELECT pg_catalog.current_setting(%s)", [name]).fetchone()
        assert row is not None
        return str(row[0])


def _runs_as(home: Path) -> int:
    return Path(f"/proc/{postmaster(home)}").stat().st_uid


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder that nobody else may enter, as ``mktemp -d`` makes it."""
    with tempfile.TemporaryDirectory(prefix="ragspine-closed-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("login", ["reader", "ingest", "owner", "superuser"])
def test_wrong_password_is_refused(server: EmbeddedServer, login: str) -> None:
    right = server.url(login)
    password = right.split(":")[2].split("@")[0]
    psycopg.connect(right).close()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(right.replace(password, password[::-1]))


def test_server_listens_on_its_socket_only(server: EmbeddedServer) -> None:
    assert _setting(server, "listen_addresses") == ""


def test_secrets_and_data_are_closed_to_others(server: EmbeddedServer) -> None:
    assert stat.S_IMODE((server.home / "keyring.json").stat().st_mode) == 0o600
    for folder in ("cluster", "cluster/data", "cluster/run"):
        assert stat.S_IMODE((server.home / folder).stat().st_mode) == 0o700
    assert stat.S_IMODE(server.log_path.stat().st_mode) == 0o600
    assert server.url("reader").split(":")[2].split("@")[0] not in repr(server)


def test_plain_logins_stay_out_of_the_other_databases(server: EmbeddedServer) -> None:
    for login in ("reader", "ingest", "owner"):
        for database in ("postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match="permission denied"):
                psycopg.connect(server.url(login, database))


def test_log_keeps_no_statement_and_no_value(stopped_home: Path) -> None:
    with _open(stopped_home) as server, psycopg.connect(server.owner_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE log_canary (word text PRIMARY KEY)")
        connection.execute("INSERT INTO log_canary VALUES (%s)", ["kanarienvogel"])
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO log_canary VALUES ('kanarienvogel')")
        log = server.log_path.read_text()
    assert "duplicate key" in log
    assert "kanarienvogel" not in log


def test_writes_are_durable_unless_a_test_says_otherwise(stopped_home: Path) -> None:
    with EmbeddedServer.open(stopped_home, durable=False) as server:
        assert _setting(server, "fsync") == "off"
    with EmbeddedServer.open(stopped_home) as server:
        assert _setting(server, "fsync") == _setting(server, "full_page_writes") == "on"


def test_server_can_be_made_in_a_folder_of_any_name(passable: Path) -> None:
    with _open(passable / "q\"u'o te, $HOME `id` \\ 100% 日本語" / "home") as server:
        assert _setting(server, "timezone") == "UTC"


def test_server_can_be_started_in_a_folder_of_any_name(stopped_home: Path) -> None:
    home = stopped_home
    for name in ("with blank", "a,b", "quote\"s'", "$HOME `id` \\ 100%", "日本語"):
        home = home.rename(home.with_name(name))
        with _open(home) as server:
            assert _setting(server, "data_directory_mode") == "0700"


def test_path_that_no_socket_fits_gets_a_short_folder_that_is_removed(stopped_home: Path) -> None:
    home = stopped_home
    for name in ("x" * 120, "comma, " + "y" * 10):
        home = home.rename(home.with_name(name))
        with _open(home) as server, _open(home) as attached:
            short = Path(os.readlink(home / "cluster" / "run"))
            assert stat.S_IMODE(short.stat().st_mode) == 0o700
            assert len(str(short)) < 60
            assert _setting(server, "port") == _setting(attached, "port") == "5432"
        assert not short.exists()
        assert not (home / "cluster" / "run").is_symlink()


def test_short_folder_that_vanished_is_made_anew(stopped_home: Path) -> None:
    home = stopped_home.rename(stopped_home.with_name("x" * 120))
    shutil.rmtree(home / "cluster" / "run")
    (home / "cluster" / "run").symlink_to(home / "gone")  # as a reboot leaves it after cleaning /tmp
    with _open(home) as server:
        assert _setting(server, "port") == "5432"


def test_lost_passwords_are_an_error_that_says_so(stopped_home: Path) -> None:
    (stopped_home / "keyring.json").unlink()
    with pytest.raises(ConfigurationError, match="holds the passwords"):
        _open(stopped_home)


def test_cluster_of_another_major_version_is_left_alone(stopped_home: Path) -> None:
    version = stopped_home / "cluster" / "data" / "PG_VERSION"
    version.write_text("12\n")
    with pytest.raises(ConfigurationError, match="made by PostgreSQL 12"):
        _open(stopped_home)


def test_folder_that_everyone_may_write_is_refused(passable: Path) -> None:
    home = passable / "home"
    home.mkdir()
    home.chmod(0o777)
    with pytest.raises(ConfigurationError, match="RAGSPINE_HOME"):
        _open(home)


def test_folder_with_files_of_others_is_refused_and_left_as_it_is(passable: Path) -> None:
    home = passable / "home"
    for folder in ("documents", "cluster"):  # the second is called as one of ours is
        (home / folder).mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="holds other files and no embedded server"):
        _open(home)
    assert sorted(path.name for path in home.rglob("*")) == ["cluster", "documents"]


def test_folder_of_ours_may_hold_other_files_and_a_half_made_one_is_taken_up(stopped_home: Path) -> None:
    (stopped_home / "notes.txt").touch()
    with _open(stopped_home):
        pass
    half = stopped_home.parent / "half"
    (half / "cluster").mkdir(parents=True)
    with _open(half):
        pass


def test_grant_key_is_kept_beside_the_passwords(stopped_home: Path) -> None:
    with _open(stopped_home) as server:
        assert server.grant_key is None
        server.store_grant_key("0123abcd:secret")
        server.store_grant_key("89abcdef:too late")
        url = server.reader_url
    with _open(stopped_home) as server:
        assert server.grant_key == "0123abcd:secret"
        assert server.reader_url == url


@needs_root
def test_root_runs_the_server_as_nobody_where_nobody_can_go(stopped_home: Path) -> None:
    home = stopped_home
    with _open(home):
        assert _runs_as(home) == pwd.getpwnam("nobody").pw_uid
        assert (home / "keyring.json").stat().st_uid == 0


@needs_root
@needs_namespace
def test_root_runs_the_server_in_a_namespace_inside_a_closed_folder(closed_folder: Path) -> None:
    home = closed_folder / "home"
    with _open(home) as server:
        assert _runs_as(home) == 0  # called nobody within its namespace, and without root's rights
        assert _setting(server, "port") == "5432"


@needs_root
@needs_namespace
def test_cluster_changes_hands_when_its_folder_is_closed_or_opened(closed_folder: Path) -> None:
    home = closed_folder / "home"
    closed_folder.chmod(0o711)
    with _open(home):
        assert _runs_as(home) == pwd.getpwnam("nobody").pw_uid
    closed_folder.chmod(0o700)
    with _open(home) as server:
        assert _runs_as(home) == 0
        assert _setting(server, "port") == "5432"
    closed_folder.chmod(0o711)
    with _open(home) as server:
        assert _runs_as(home) == pwd.getpwnam("nobody").pw_uid
        assert _setting(server, "port") == "5432"


@needs_root
def test_root_without_any_way_is_told_what_to_do(closed_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ConfigurationError, match="run as an ordinary user, or set RAGSPINE_HOME"):
        _open(closed_folder / "home")


@needs_root
def test_home_of_another_user_is_refused(passable: Path) -> None:
    home = passable / "home"
    home.mkdir()
    os.chown(home, 1234, 1234)
    with pytest.raises(ConfigurationError, match="belongs to another user"):
        _open(home)


@needs_root
@needs_namespace
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("uid", [pwd.getpwnam("nobody").pw_uid, 54321], ids=["ordinary", "without passwd entry"])
def test_ordinary_user_runs_the_server_as_itself(passable: Path, uid: int) -> None:
    home = passable / "home"
    os.chown(passable, uid, uid)
    codecs.lookup("ascii")  # loaded here: the other user may not be able to read the library it comes from
    # A fork, not a new process: the other user may not be able to enter the folder this Python lies in.
    if (child := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            with _open(home) as server:
                assert _runs_as(home) == uid
                assert _setting(server, "port") == "5432"
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (home / "cluster" / "data").stat().st_uid == uid
    assert not (home / "cluster" / "data" / "postmaster.pid").exists()
