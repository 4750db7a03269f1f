"""Making, starting and stopping a PostgreSQL cluster in a folder: ``data``, ``run`` (the socket) and ``log``.

Everything here is called while the folder's guard is held, so that no two processes start, stop or make it at once.
What an earlier process left half done when it was killed is taken up: a half-made cluster has a name of its own and is
thrown away, a server still starting is waited for, and PostgreSQL itself recovers from a killed server.
"""

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

from ragspine_pg.connect.account import Account
from ragspine_pg.connect.binaries import Binaries
from ragspine_pg.connect.socket_folder import PORT, find_socket_folder, make_socket_folder, remove_socket_folder
from ragspine_pg.errors import ConfigurationError, UnavailableError

SUPERUSER = "postgres"

_START_SECONDS = 300.0  # recovery after a crash can take long; while the process lives there is hope
_STOP_SECONDS = 60.0
_PAUSE_SECONDS = 0.01
_EXEC_LOOKS = 10
_LOG_BYTES = 10_000_000  # a larger log is set aside (one is kept) when the server starts

_SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # The log holds no document text: neither failing statements, nor the values that DETAIL and CONTEXT quote.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def make_cluster(cluster: Path, binaries: Binaries, account: Account, password: str, *, durable: bool) -> None:
    """``initdb`` into a folder beside ``data``, renamed when it is whole.

    Raises ``ConfigurationError`` with initdb's last words if it fails.
    """
    for left_over in cluster.glob("data.*"):
        if left_over.is_dir():
            shutil.rmtree(left_over, ignore_errors=True)
        else:
            left_over.unlink()
    fresh = Path(tempfile.mkdtemp(prefix="data.", dir=cluster))
    try:
        password_file = fresh.with_name(f"{fresh.name}.password")
        password_file.touch(mode=0o600)
        try:
            password_file.write_text(password, encoding="ascii")
            account.own(password_file)
            account.own(fresh)
            command: list[str | Path] = [binaries.folder / "initdb", "-D", fresh, "-U", SUPERUSER]
            command += ["-A", "scram-sha-256", "--pwfile", password_file, "-E", "UTF8", "--locale", "C.UTF-8"]
            run = account.run(command if durable else [*command, "--no-sync"])
        finally:
            password_file.unlink()
        if run.returncode != 0:
            raise ConfigurationError(f"initdb failed in {cluster}: {' '.join(run.stderr.split())[-500:]}")
        fresh.rename(cluster / "data")
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def made_by_major(cluster: Path) -> int | None:
    """The major version that made the cluster, or None if there is no cluster yet."""
    try:
        return int((cluster / "data" / "PG_VERSION").read_text(encoding="ascii"))
    except FileNotFoundError:
        return None


def find_running(cluster: Path) -> Path | None:
    """The socket folder of the running server, or None if there is none that answers.

    One that is starting or stopping is waited for; one whose socket somebody removed is stopped, since nobody could
    connect any more. Raises ``UnavailableError`` if it takes too long.
    """
    deadline = time.monotonic() + _START_SECONDS
    while _postmaster(cluster) is not None:
        if _status(cluster) == "ready":
            folder = find_socket_folder(cluster)
            if folder is not None and (folder / f".s.PGSQL.{PORT}").exists():
                return folder
            stop(cluster)
        if time.monotonic() >= deadline:
            raise UnavailableError(f"the embedded server has been starting for too long; see {cluster / 'log'}")
        time.sleep(_PAUSE_SECONDS)
    return None


def start(cluster: Path, binaries: Binaries, account: Account, *, durable: bool) -> Path:
    """Start the server (none is running) and give its socket folder.

    Raises ``UnavailableError`` with the last line of the server's log if it does not start.
    """
    folder = make_socket_folder(cluster, account)
    _forget_stale_pid(cluster)
    for left_over in folder.iterdir():  # a killed server's socket and its lock file, whose number may be in use again
        left_over.unlink()
    log = cluster / "log"
    if log.exists() and log.stat().st_size > _LOG_BYTES:
        log.replace(cluster / "log.1")
    settings = {**_SETTINGS, **({} if durable else _NOT_DURABLE)}
    settings["unix_socket_directories"] = '"' + str(folder).replace('"', '""') + '"'
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    # The shell only puts it into the background: the server is nobody's child, so it leaves no zombie behind, and no
    # path is ever read as shell text.
    script = '"$@" </dev/null >>"$RAGSPINE_LOG" 2>&1 & echo $!'
    server: list[str | Path] = [binaries.folder / "postgres", "-D", cluster / "data", *options]
    deadline = time.monotonic() + _START_SECONDS
    while True:
        run = account.run(["/bin/sh", "-c", f"umask 077; {script}", "sh", *server], RAGSPINE_LOG=str(log))
        if run.returncode != 0:
            raise UnavailableError(f"the embedded server cannot be started: {run.stderr.strip()[-300:]}")
        pid = int(run.stdout)
        while _is_postmaster(pid, cluster):
            if _status(cluster) == "ready" and _postmaster(cluster) == pid:
                return folder
            if time.monotonic() >= deadline:
                raise UnavailableError(f"the embedded server has been starting for too long; see {log}")
            time.sleep(_PAUSE_SECONDS)
        # Sessions of a killed server end a little after it, and the new one refuses to start beside them.
        last = _last_line(log)
        if "shared memory block" not in last or time.monotonic() >= deadline:
            raise UnavailableError(f"the embedded server did not start: {last} (see {log})")
        time.sleep(0.1)


def stop(cluster: Path) -> None:
    """Stop the server if one is running ("fast": open transactions are rolled back) and wait until it is gone."""
    pid = _postmaster(cluster)
    if pid is not None:
        os.kill(pid, signal.SIGINT)
        deadline = time.monotonic() + _STOP_SECONDS
        while _is_postmaster(pid, cluster) and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)
        if _is_postmaster(pid, cluster):
            return  # it is still writing to disk; who opens next waits for its end
    remove_socket_folder(cluster)


def _pid_lines(cluster: Path) -> list[str]:
    try:
        return (cluster / "data" / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _status(cluster: Path) -> str:
    lines = _pid_lines(cluster)
    return lines[7].strip() if len(lines) > 7 else ""


def _postmaster(cluster: Path) -> int | None:
    """The process that the pid file names, if it is this cluster's server."""
    lines = _pid_lines(cluster)
    if not lines or not lines[0].strip().isdigit():
        return None
    pid = int(lines[0])
    return pid if _is_postmaster(pid, cluster) else None


def _is_postmaster(pid: int, cluster: Path) -> bool:
    """Whether ``pid`` lives and was started with our data folder: numbers are used again, in containers at once."""
    if not Path("/proc/self/cmdline").exists():
        return _lives(pid)
    for _ in range(_EXEC_LOOKS):
        try:
            written = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return False
        if written:
            return os.fsencode(cluster / "data") in written.split(b"\0")
        time.sleep(_PAUSE_SECONDS)  # a program that is just being loaded has no arguments yet; a dead one never again
    return False


def _forget_stale_pid(cluster: Path) -> None:
    """Remove a dead server's pid file whose number another process has now, which PostgreSQL would take for a server.

    Any other pid file is PostgreSQL's to judge: by it, too, it finds the sessions that outlive a killed server.
    """
    lines = _pid_lines(cluster)
    if lines and lines[0].strip().isdigit() and _postmaster(cluster) is None and _lives(int(lines[0])):
        (cluster / "data" / "postmaster.pid").unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "it wrote no log"
    telling = [line for line in lines if "FATAL" in line]
    return (telling or lines or ["it wrote no log"])[-1][-300:]
