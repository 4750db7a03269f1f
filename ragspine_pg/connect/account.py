"""Who runs the server: PostgreSQL refuses root, and needs an account that has a name.

An ordinary user runs it plainly. Root runs it as the account ``nobody`` if that one can reach the programs and the
data; inside a folder that only root may enter (a virtual environment in root's home, a ``mktemp -d``) in a user
namespace in which root is called nobody. A user without an entry in the passwd file is helped in the same way.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragspine_pg.errors import ConfigurationError

ACCOUNT = "nobody"

# PATH holds no more than the shell needs; the locale of messages and of the cluster does not depend on the caller's.
ENVIRONMENT: Mapping[str, str] = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}

_NAMESPACE = ("-U", "--map-user=65534", "--map-group=65534")


@dataclass(frozen=True, slots=True)
class Account:
    """How a program of the server is run: as whom, or behind which command; ``uid`` and ``gid`` own the files."""

    uid: int
    gid: int
    prefix: tuple[str, ...] = ()
    switch: Mapping[str, Any] = field(default_factory=dict)

    def run(self, command: Sequence[str | Path], **variables: str) -> subprocess.CompletedProcess[str]:
        """Run ``command`` to its end, with ``variables`` added to its small environment; the caller checks its status.

        Its working folder is the root: the account may not be able to enter the caller's.
        """
        return subprocess.run(
            [*self.prefix, *map(str, command)],
            cwd="/",
            env={**ENVIRONMENT, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # a Ctrl-C at the caller's terminal must not stop a server that others share
            check=False,
            **self.switch,
        )

    def own(self, path: Path) -> None:
        """Make the account the owner of ``path`` and of everything below it (only root can have to)."""
        if path.lstat().st_uid == self.uid:
            return
        for folder, folders, names in os.walk(path):
            for name in (*folders, *names):
                os.chown(os.path.join(folder, name), self.uid, self.gid, follow_symlinks=False)
        # The top last: a walk that was killed is taken up again.
        os.chown(path, self.uid, self.gid, follow_symlinks=False)


def choose_account(programs: Path, data: Path) -> Account:
    """The account that can run ``programs`` (a bin folder) and enter ``data``; each is tried, not reasoned about.

    ``data`` must exist. Raises ``ConfigurationError``, saying what to do, if there is none.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid != 0 and _has_entry(uid):
        return Account(uid, gid)
    if uid == 0 and (switched := _unprivileged()) is not None and _reaches(switched, programs, data):
        return switched
    if (unshare := shutil.which("unshare")) is not None:
        renamed = Account(uid, gid, prefix=(unshare, *_NAMESPACE))
        if _reaches(renamed, programs, data):
            return renamed
    if uid == 0:
        raise ConfigurationError(
            f"PostgreSQL does not run as root, the account {ACCOUNT} cannot enter {programs} or {data.parent}, and "
            "`unshare -U` is not allowed here; run as an ordinary user, or set RAGSPINE_HOME to a folder every account "
            "can pass through and install into one too (not below /root), or name a database by RAGSPINE_DATABASE_URL"
        )
    raise ConfigurationError(
        f"user {uid} has no entry in the passwd file, which PostgreSQL needs, and `unshare -U` is not allowed here; "
        "add an entry, or name a database by RAGSPINE_DATABASE_URL"
    )


def _has_entry(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _unprivileged() -> Account | None:
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        return None
    switch = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    return Account(entry.pw_uid, entry.pw_gid, switch=switch)


def _reaches(account: Account, programs: Path, data: Path) -> bool:
    """Whether the account can enter the folder of ``data`` (its owner is set later) and run the programs."""
    try:
        tried = account.run(["/bin/sh", "-c", 'cd "$1" && exec "$2" --version', "sh", data.parent, programs / "initdb"])
    except (OSError, subprocess.SubprocessError):
        return False
    return tried.returncode == 0
