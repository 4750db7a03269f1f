"""Modules stay small enough to be read at once."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 15_000  # bytes

# Larger, for a reason.
NAMED = {
    "ragspine_pg/schema/tables.py": "all tables in one place: they refer to each other",
    "tests/conformance/test_canonical_json.py": "one table of cases for two implementations",
}


def oversized(root: Path) -> set[str]:
    """Modules and SQL files above the limit; generated files and tests' data apart."""
    return {
        path.relative_to(root).as_posix()
        for pattern in ("ragspine_pg/**/*.py", "sql/**/*.sql", "tests/**/*.py", "migrations/**/*.py")
        for path in root.glob(pattern)
        if path.stat().st_size > LIMIT
    }


def test_no_module_is_large_but_the_named() -> None:
    assert sorted(oversized(ROOT) ^ set(NAMED)) == []


def test_no_module_is_large_but_the_named_has_teeth(tmp_path: Path) -> None:
    (tmp_path / "ragspine_pg/flow").mkdir(parents=True)
    (tmp_path / "ragspine_pg/flow/big.py").write_bytes(b"#" * (LIMIT + 1))
    (tmp_path / "ragspine_pg/flow/small.py").write_bytes(b"#" * LIMIT)
    assert oversized(tmp_path) == {"ragspine_pg/flow/big.py"}
