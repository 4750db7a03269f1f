"""The embedded server's folder: who may look into it."""

import os
import shlex
import stat
from pathlib import Path

from ragspine_pg.doctor.check import error
from ragspine_pg.doctor.diagnosis import CheckResult, Finding
from ragspine_pg.doctor.installation import Installation

_ABOUT = "the embedded server's folder is closed to others"

# The most that each may allow. Root's server runs under another account, which has to pass through the home.
_MODES = {"keyring.json": 0o600, "guard": 0o600, "lease": 0o600, "cluster": 0o700, "cluster/data": 0o700}


def folder(installation: Installation) -> CheckResult:
    """Modes and owners; on a database of one's own there is no such folder."""
    if installation.server is None:
        return CheckResult("folder", _ABOUT, unchecked="no embedded server is used")
    home = installation.server.home
    findings = _judge(home, home, 0o711 if os.geteuid() == 0 else 0o700, os.geteuid())
    cluster_owner = (home / "cluster").stat().st_uid
    for name, most in _MODES.items():
        owner = cluster_owner if name.startswith("cluster") else os.geteuid()
        findings += _judge(home, home / name, most, owner)
    run = home / "cluster" / "run"
    findings += _judge(home, run.resolve() if run.is_symlink() else run, 0o700, cluster_owner)
    return CheckResult("folder", _ABOUT, tuple(findings))


def _judge(home: Path, path: Path, most: int, owner: int) -> list[Finding]:
    try:
        state = path.stat()
    except OSError as failure:
        return [
            error(f"{path} cannot be looked at: {failure.strerror}", f"restore it, or move {home} away and begin anew")
        ]
    findings = []
    mode = stat.S_IMODE(state.st_mode)
    if mode & ~most:
        findings.append(
            error(f"{path} has mode {mode:04o}: others can get at it", f"chmod {most:04o} {shlex.quote(str(path))}")
        )
    if state.st_uid != owner:
        findings.append(
            error(f"{path} belongs to user {state.st_uid}, not to {owner}", f"chown {owner} {shlex.quote(str(path))}")
        )
    return findings
