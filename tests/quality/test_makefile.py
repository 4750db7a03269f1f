"""The commands of the first screen exist, and integration runs the same as a person."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_help_lists_every_target() -> None:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make", "help"], cwd=ROOT, env=outer, capture_output=True, text=True, check=True)
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert targets is not None
    assert [line.split()[0] for line in done.stdout.splitlines()] == targets[1].split()
    assert targets[1].split() == ["demo", "test", "check", "bench", "pooled", "soak", "matrix", "help"]


def test_integration_installs_what_pip_cannot_and_runs_exactly_make_test() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/usr/bin/env bash\n")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines[:2] == ["set -euo pipefail", 'cd "$(dirname "${BASH_SOURCE[0]}")/.."']
    assert lines[2].startswith("if ! ")
    assert lines.index("fi") == len(lines) - 2, "one condition, and nothing after it but"
    assert lines[-1] == "exec make test"
    assert re.findall(r"apt-get install(?: --[a-z-]+)* (\w+)", text) == ["pgbouncer", "pgbouncer"]


def test_recipes_survive_a_path_with_blanks() -> None:
    """No recipe names an absolute path: everything is relative to the folder of the Makefile."""
    recipes = [line for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if line.startswith("\t")]
    assert recipes
    assert not [line for line in recipes if re.search(r"\$\((CURDIR|PWD|abspath|realpath)|\$\$PWD|\$\$HOME", line)]
