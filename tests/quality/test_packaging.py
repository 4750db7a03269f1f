"""The wheel, made by way of the sdist, holds what the source tree holds, and works from there."""

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Builds an sdist of the tree and a wheel of the sdist with the backend that is installed: no network.
_BUILD = """
import os, sys, tarfile
from setuptools import build_meta
out = sys.argv[1]
name = build_meta.build_sdist(out)
safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
tarfile.open(os.path.join(out, name)).extractall(out, **safe)
os.chdir(os.path.join(out, name.removesuffix(".tar.gz")))
print(build_meta.build_wheel(out))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel."""
    folder = tmp_path_factory.mktemp("built")
    copy = folder / "a copy"
    copy.mkdir()
    tracked = ["pyproject.toml", "README.md", "LICENSE", "ragspine_pg", "sql", "migrations"]
    subprocess.run(["cp", "-r", *tracked, str(copy)], cwd=ROOT, check=True)
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(folder)], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    """The wheel, open."""
    (path,) = built.glob("*.whl")
    return zipfile.ZipFile(path)


def _sources() -> dict[str, Path]:
    """Where each file of the source tree has to lie in the wheel."""
    folders = {"ragspine_pg": "ragspine_pg", "sql": "ragspine_pg/_sql", "migrations": "ragspine_pg/_migrations"}
    unpacked = {"README.md"}  # for those who read the tree
    return {
        f"{packaged}/{path.relative_to(ROOT / folder).as_posix()}": path
        for folder, packaged in folders.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name not in unpacked
    }


def test_wheel_holds_every_file_of_the_tree(wheel: zipfile.ZipFile) -> None:
    packaged = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packaged == set(_sources())


def test_every_sql_file_of_the_wheel_is_the_one_of_the_tree(wheel: zipfile.ZipFile) -> None:
    names = [name for name in wheel.namelist() if name.endswith(".sql")]
    assert len(names) > 50
    sources = _sources()
    for name in names:
        assert wheel.read(name) == sources[name].read_bytes(), name


def test_wheel_is_typed_and_licensed(wheel: zipfile.ZipFile) -> None:
    assert "ragspine_pg/py.typed" in wheel.namelist()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel.namelist())


def test_sdist_holds_what_a_build_needs(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "migrations/script.py.mako", "sql/frozen.txt"} <= names


def test_unpacked_wheel_finds_its_sql_and_migrations(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    code = (
        "from ragspine_pg.schema import migrate\n"
        "import sys; assert migrate.__file__.startswith(sys.argv[1]), migrate.__file__\n"
        "print(migrate.sql_script())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "CREATE TABLE ragspine.chunk" in done.stdout


def test_every_package_is_listed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "ragspine_pg").rglob("*.py")
        if "__pycache__" not in path.parts
    }
    mapped = {"ragspine_pg._sql", "ragspine_pg._migrations", "ragspine_pg._migrations.versions"}
    assert set(listed) == found | mapped
    assert listed == sorted(listed)
