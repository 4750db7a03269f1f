"""Runs ``holder`` beside a test, and looks at the server that it shares."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


@contextmanager
def holder(home: Path, ending: str = "close", **how: Any) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """The process and the number of the server that it found running or started; ended like a user would, or killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.connect.holder", str(home), ending],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, sys.path)])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **how,
    )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.strip().isdigit(), "the holder could not open the server"
            yield process, int(line)
        except BaseException:
            process.kill()
            raise
        if process.poll() is None:
            process.communicate("end\n", timeout=60)
            assert process.returncode == 0


def postmaster(home: Path) -> int:
    """The number in the server's pid file."""
    return int((home / "cluster" / "data" / "postmaster.pid").read_text().split()[0])


def lives(pid: int) -> bool:
    """Whether a process of this number runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(pid: int, seconds: float = 20) -> bool:
    """Whether the process is gone within some seconds."""
    deadline = time.monotonic() + seconds
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not lives(pid)
