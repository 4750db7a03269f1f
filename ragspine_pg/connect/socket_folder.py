"""The folder of the server's socket: ``run`` beside the data, or a short one elsewhere when that path is too long.

A socket's path has at most 107 bytes on Linux. A short folder is found again through a symbolic link named ``run``.
"""

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from ragspine_pg.connect.account import Account
from ragspine_pg.errors import ConfigurationError

PORT = 5432

_LONGEST = 103 if sys.platform == "darwin" else 107


def fits(folder: Path) -> bool:
    """Whether a socket can lie in ``folder``, and libpq can be told so (a comma would part it into two hosts)."""
    return len(os.fsencode(folder / f".s.PGSQL.{PORT}")) <= _LONGEST and "," not in str(folder)


def find_socket_folder(cluster: Path) -> Path | None:
    """The folder that ``make_socket_folder`` made, if it is still there and is ours."""
    run = cluster / "run"
    folder = Path(os.readlink(run)) if run.is_symlink() else run
    try:
        state = folder.lstat()
    except OSError:
        return None
    # After a cleaning of /tmp, somebody else may have made a folder of that name.
    ours = stat.S_ISDIR(state.st_mode) and state.st_uid == cluster.stat().st_uid and not state.st_mode & 0o077
    return folder if ours else None


def make_socket_folder(cluster: Path, account: Account) -> Path:
    """A 0700 folder of the account's in which a socket fits."""
    run = cluster / "run"
    if (found := find_socket_folder(cluster)) is not None and fits(found):
        return found
    if run.is_symlink():
        run.unlink()
    elif run.exists():
        shutil.rmtree(run)
    if fits(run):
        run.mkdir(mode=0o700)
        account.own(run)
        return run
    folder = _short_folder()
    account.own(folder)
    run.symlink_to(folder)
    return folder


def remove_socket_folder(cluster: Path) -> None:
    """Remove a short folder made elsewhere (after the server has ended); the one beside the data stays."""
    run = cluster / "run"
    if run.is_symlink():
        if (folder := find_socket_folder(cluster)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
        run.unlink()


def _short_folder() -> Path:
    # /tmp first, TMPDIR may be what is too long; mkdtemp draws the name and makes the folder 0700.
    for parent in ("/tmp", tempfile.gettempdir()):  # noqa: S108
        try:
            folder = Path(tempfile.mkdtemp(prefix="ragspine-", dir=parent))
        except OSError:
            continue
        if fits(folder):
            return folder
        folder.rmdir()
    raise ConfigurationError(
        "the embedded server's folder has too long a path for a socket, and no short folder can be made in /tmp; set "
        "RAGSPINE_HOME to a shorter path"
    )
