"""The DDL of the tables, from ``tables.py``: as one text for a migration, and as statements for whoever compares."""

from collections.abc import Iterator

from pgvector.sqlalchemy import SPARSEVEC, VECTOR
from sqlalchemy import DDL, Table
from sqlalchemy.dialects.postgresql.base import PGCompiler, PGDDLCompiler, PGDialect, PGTypeCompiler
from sqlalchemy.schema import CreateIndex, CreateSequence, CreateTable, SetTableComment
from sqlalchemy.types import UserDefinedType

from ragspine_pg.schema.tables import SCHEMA, metadata
from ragspine_pg.statement.render import PLACEHOLDER

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


def twin_statements() -> Iterator[str]:
    """Statements that make each table with its constraints and indexes, and nothing else, in the temporary schema."""
    dialect = _Dialect()  # type: ignore[no-untyped-call]
    for table in metadata.sorted_tables:
        yield _twin(str(CreateTable(table).compile(dialect=dialect)))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            yield _twin(str(CreateIndex(index).compile(dialect=dialect)))


def _twin(statement: str) -> str:
    return statement.replace(f"{SCHEMA}.", "pg_temp.")
