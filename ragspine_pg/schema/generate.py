"""``python -m ragspine_pg.schema.generate``: writes the DDL of the newest migration, and its list of functions.

Run it after each change of ``tables.py`` and each new file in ``sql/functions``; tests hold both up to date. Only until
the migration is released: afterwards a change is a migration of its own, and the files are in ``sql/frozen.txt``.
"""

import re
from importlib.resources import files
from pathlib import Path

from pgvector.sqlalchemy import SPARSEVEC, VECTOR
from sqlalchemy import DDL, Table
from sqlalchemy.dialects.postgresql.base import PGCompiler, PGDDLCompiler, PGDialect, PGTypeCompiler
from sqlalchemy.schema import CreateIndex, CreateSequence, CreateTable, SetTableComment
from sqlalchemy.types import UserDefinedType

from ragspine_pg.schema.tables import metadata
from ragspine_pg.statement.render import PLACEHOLDER

MIGRATION = "rpg0001_create_spine"
"""The newest migration, not released yet."""

HEADER = """\
-- The tables of schema ragspine. Generated from ragspine_pg/schema/tables.py by
-- `python -m ragspine_pg.schema.generate`; a test holds the two equal.

"""


class _Types(PGTypeCompiler):
    """Names pgvector's types with the placeholder for their schema."""

    def visit_user_defined(self, type_: UserDefinedType[object], **kw: object) -> str:
        spec = str(super().visit_user_defined(type_, **kw))
        return f"{PLACEHOLDER}.{spec.lower()}" if isinstance(type_, SPARSEVEC | VECTOR) else spec


class _Dialect(PGDialect):
    type_compiler_cls = _Types
    statement_compiler = PGCompiler
    ddl_compiler = PGDDLCompiler
    supports_statement_cache = False


def ddl() -> str:
    """All tables with their sequences, indexes, comments and row security, as one SQL text."""
    dialect = _Dialect()  # type: ignore[no-untyped-call]
    statements = [str(CreateSequence(sequence).compile(dialect=dialect)) for sequence in metadata._sequences.values()]
    for table in metadata.sorted_tables:
        statements.append(str(CreateTable(table).compile(dialect=dialect)))
        statements += [
            str(CreateIndex(index).compile(dialect=dialect))
            for index in sorted(table.indexes, key=lambda index: str(index.name))
        ]
        statements += [str(SetTableComment(table).compile(dialect=dialect))] if table.comment else []
        statements += [str(after.statement) for after in table.dispatch.after_create if isinstance(after, DDL)]
        statements.append(_row_security(table))
    lines = (line.rstrip() for statement in statements for line in f"{statement.strip()};\n".split("\n"))
    return HEADER + "\n".join(lines).replace("\t", "  ")


def _row_security(table: Table) -> str:
    """On every table, keys included: a right granted by mistake shows nothing without a policy besides."""
    return f"ALTER TABLE {table.fullname} ENABLE ROW LEVEL SECURITY"


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


def main() -> None:
    """Write both files in the source tree."""
    versions = Path(str(files("ragspine_pg._migrations") / "versions"))
    (versions / f"{MIGRATION}.sql").write_text(ddl(), encoding="utf-8")
    functions = [path.stem for path in Path(str(files("ragspine_pg._sql") / "functions")).glob("*.sql")]
    migration = versions / f"{MIGRATION}.py"
    migration.write_text(function_list(migration.read_text(encoding="utf-8"), functions), encoding="utf-8")
    print(f"wrote {MIGRATION}.sql and the functions in {MIGRATION}.py")


if __name__ == "__main__":
    main()
