"""``python -m ragspine_pg.schema.generate``: writes the DDL of the newest migration, and its list of functions.

And the digest of both, ``build.py``. Run it after each change of ``tables.py`` and of ``sql/functions``; tests hold all
three up to date. The first two only until the migration is released: afterwards a change is a migration of its own, and
the files are in ``sql/frozen.txt``.
"""

import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from ragspine_pg.schema.ddl import ddl

MIGRATION = "rpg0001_create_spine"
"""The newest migration, not released yet."""


def function_list(migration: str, functions: list[str]) -> str:
    """The text of a migration with its ``FUNCTIONS`` replaced: those it has keep their order, new ones follow."""
    match = _FUNCTIONS.search(migration)
    if match is None:
        raise ValueError("the migration has no FUNCTIONS")
    listed = re.findall(r'"(\w+)"', match[0])
    kept = [name for name in listed if name in functions]
    names = [*kept, *sorted(set(functions) - set(kept))]
    return _FUNCTIONS.sub("FUNCTIONS = (\n" + "".join(f'    "{name}",\n' for name in names) + ")\n", migration)


_FUNCTIONS = re.compile(r"^FUNCTIONS = \(\n.*?^\)\n", re.MULTILINE | re.DOTALL)


def build_digest(functions: Mapping[str, str]) -> str:
    """32 hex digits over all tables and ``functions`` (name to text); comments in the margin do not count."""
    parts = [ddl(), *(f"{name}\n{text}" for name, text in sorted(functions.items()))]
    return hashlib.sha256(_MARGIN.sub("", "\x1e".join(parts)).encode()).hexdigest()[:32]


_MARGIN = re.compile(r"^--[^\n]*\n", re.MULTILINE)


def build_module(digest: str) -> str:
    """The text of ``build.py``."""
    return f'''\
"""What this code's tables and functions are, as a digest. Written by ``python -m ragspine_pg.schema.generate``."""

BUILD = "{digest}"
"""Every migration leaves it in the database, as the comment of the version table; ``check`` compares the two."""
'''


def function_texts() -> dict[str, str]:
    """Name to text of every file in ``sql/functions``."""
    folder = Path(str(files("ragspine_pg._sql"))) / "functions"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.sql")}


def main() -> None:
    """Write the files in the source tree."""
    versions = Path(str(files("ragspine_pg._migrations") / "versions"))
    (versions / f"{MIGRATION}.sql").write_text(ddl(), encoding="utf-8")
    functions = function_texts()
    migration = versions / f"{MIGRATION}.py"
    migration.write_text(function_list(migration.read_text(encoding="utf-8"), list(functions)), encoding="utf-8")
    Path(__file__).with_name("build.py").write_text(build_module(build_digest(functions)), encoding="utf-8")
    print(f"wrote {MIGRATION}.sql, the functions in {MIGRATION}.py, and build.py")


if __name__ == "__main__":
    main()
