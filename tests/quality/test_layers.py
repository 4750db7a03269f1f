"""The import rules of pyproject.toml hold, and each of them bites on a planted violation (in a copy)."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _copy(folder: Path) -> Path:
    shutil.copytree(ROOT / "ragspine_pg", folder / "ragspine_pg", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def broken_contracts(folder: Path) -> list[str]:
    """The ids of the contracts that import-linter finds broken in the project in ``folder``."""
    contracts = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env={"PYTHONPATH": str(folder), "PATH": ""}
    )
    broken = [contract["id"] for contract in contracts if f"{contract['name']} BROKEN" in done.stdout]
    kept = [contract["id"] for contract in contracts if f"{contract['name']} KEPT" in done.stdout]
    assert len(broken) + len(kept) == len(contracts), done.stdout + done.stderr
    assert (done.returncode != 0) == bool(broken)
    return broken


def test_import_rules_hold() -> None:
    assert broken_contracts(ROOT) == []


PLANTED = {
    "a room imports upward": ("contract/access.py", "import ragspine_pg.connect.embedded", {"rooms"}),
    "twin rooms know each other": ("retrieval/pipeline.py", "import ragspine_pg.ingest.pipeline", {"rooms"}),
    "a module of no room": ("utils.py", "", {"rooms"}),
    "a package of no room": ("common/__init__.py", "", {"rooms"}),
    "a stage imports the driver": ("ingest/split.py", "import psycopg", {"no-driver-in-plans"}),
    "a stage imports it through another": (
        "retrieval/pipeline.py",
        "import ragspine_pg.flow.driver",
        {"no-driver-in-plans"},
    ),
    "a value imports the driver": ("contract/access.py", "from psycopg import sql", {"no-driver-in-plans"}),
    "sqlalchemy in statement": ("statement/catalogue.py", "from sqlalchemy import text", {"sqlalchemy-in-two-rooms"}),
    "alembic in connect": ("connect/target.py", "import alembic", {"alembic-in-one-room"}),
    "a stage of ingest imports another": (
        "ingest/verify.py",
        "import ragspine_pg.ingest.write",
        {"ingest-stages"},
    ),
    "a stage of ingest runs the pipeline": ("ingest/fold.py", "import ragspine_pg.ingest.pipeline", {"ingest-stages"}),
    "a stage of ingest that nobody ordered": ("ingest/helpers.py", "", {"ingest-stages"}),
    "a stage of retrieval imports another": (
        "retrieval/fuse.py",
        "import ragspine_pg.retrieval.mode",
        {"retrieval-stages"},
    ),
    "a stage of retrieval that nobody ordered": ("retrieval/common.py", "", {"retrieval-stages"}),
    "one exit imports the other": (
        "retrieval/exits/rerank.py",
        "import ragspine_pg.retrieval.exits.link",
        {"exits-are-independent"},
    ),
    "the exits share a module": (
        "retrieval/exits/rerank.py",
        "import ragspine_pg.retrieval.exits.shared",
        {"exits-are-independent"},
    ),
    "a part of reranking calls the exit past its order": (
        "retrieval/rerank/judge.py",
        "import ragspine_pg.retrieval.exits.rerank",
        {"exits-behind-the-pipeline"},
    ),
    "a retriever shows texts to a judge past the exit's order": (
        "client/reranking.py",
        "import ragspine_pg.retrieval.exits.rerank",
        {"exits-behind-the-pipeline"},
    ),
    "routing runs the pipeline": (
        "retrieval/routing/multi_index.py",
        "import ragspine_pg.retrieval.pipeline",
        {"retrieval-stages"},
    ),
    "an exit is called past the pipeline": (
        "client/__init__.py",
        "import ragspine_pg.retrieval.exits.link",
        {"exits-behind-the-pipeline"},
    ),
}


@pytest.mark.parametrize("violation", PLANTED)
def test_import_rules_hold_has_teeth(tmp_path: Path, violation: str) -> None:
    path, line, expected = PLANTED[violation]
    planted = _copy(tmp_path) / "ragspine_pg" / path
    if "exits.shared" in line:
        (planted.parent / "shared.py").write_text('"""Shared."""\n', encoding="utf-8")
    planted.parent.mkdir(exist_ok=True)
    text = planted.read_text(encoding="utf-8") if planted.exists() else '"""Planted."""\n'
    planted.write_text(f"{text}\n{line}\n", encoding="utf-8")
    assert expected <= set(broken_contracts(tmp_path))


def test_every_contract_has_a_planted_violation() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert {contract["id"] for contract in contracts} == set().union(*(ids for _, _, ids in PLANTED.values()))
