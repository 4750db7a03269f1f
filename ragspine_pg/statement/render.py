"""Fills in the one placeholder of the SQL files: the schema in which pgvector is installed."""

PLACEHOLDER = "@vector@"
"""Stands for pgvector's schema, quoted: ``@vector@.sparsevec``, ``OPERATOR(@vector@.<#>)``."""


def quote_identifier(name: str) -> str:
    """``name`` as a quoted SQL identifier: always quoted, so that keywords and capitals are safe."""
    if "\x00" in name or not name:
        raise ValueError("an identifier is not empty and holds no NUL")
    return '"' + name.replace('"', '""') + '"'


def render(text: str, vector_schema: str) -> str:
    """``text`` with every ``@vector@`` replaced by the quoted name of pgvector's schema."""
    return text.replace(PLACEHOLDER, quote_identifier(vector_schema))
