"""Alembic's chain, the constants that check it without Alembic, and the lists in the migrations agree."""

from importlib.resources import files
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from ragspine_pg.schema.generate import MIGRATION, function_list
from ragspine_pg.schema.revision import HEAD, REVISIONS
from ragspine_pg.schema.state import POLICIES, policy_statements

ROOT = Path(__file__).parents[2]


def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(files("ragspine_pg._migrations")))
    return ScriptDirectory.from_config(config)


def test_known_revisions_are_alembics_in_order() -> None:
    assert tuple(script.revision for script in reversed(list(_scripts().walk_revisions()))) == REVISIONS
    assert _scripts().get_heads() == [HEAD]


def test_file_names_say_revision_and_kind() -> None:
    for path in (ROOT / "migrations/versions").glob("rpg*.py"):
        revision, kind, *what = path.stem.split("_")
        assert revision in REVISIONS
        assert kind in {"create", "expand", "move", "contract"}
        assert what


def test_every_function_file_is_listed_in_a_migration() -> None:
    migration = (ROOT / f"migrations/versions/{MIGRATION}.py").read_text(encoding="utf-8")
    functions = [path.stem for path in (ROOT / "sql/functions").glob("*.sql")]
    assert migration == function_list(migration, functions), "run `python -m ragspine_pg.schema.generate`"


def test_every_function_file_is_listed_in_a_migration_has_teeth() -> None:
    migration = (ROOT / f"migrations/versions/{MIGRATION}.py").read_text(encoding="utf-8")
    functions = [path.stem for path in (ROOT / "sql/functions").glob("*.sql")]
    assert migration != function_list(migration, [*functions, "stray_v1"])
    assert migration != function_list(migration, functions[1:])


def test_every_policy_file_is_in_force() -> None:
    assert sorted(POLICIES) == sorted(path.stem for path in (ROOT / "sql/policies").glob("*.sql"))


@pytest.mark.parametrize("stray", ["DROP TABLE ragspine.chunk;", "GRANT ALL ON ragspine.chunk TO PUBLIC;", "x"])
def test_policy_file_with_anything_else_is_refused(stray: str) -> None:
    good = "-- Why.\nCREATE POLICY p ON ragspine.chunk USING (\n  true);\n"
    assert list(policy_statements(good)) == [("chunk", "p", "CREATE POLICY p ON ragspine.chunk USING (\n  true)")]
    with pytest.raises(ValueError, match="only policies"):
        list(policy_statements(good + stray))
