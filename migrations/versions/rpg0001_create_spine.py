"""Create the spine: tables, functions and row security of the lexical part.

The first one, so it runs before the code. Its DDL is the file beside it, generated until the first release.

Revision ID: rpg0001
Revises:
"""

from alembic import op

from ragspine_pg.schema.install import drop_everything, install_functions, install_tables

revision = "rpg0001"
down_revision = None
branch_labels = ("ragspine",)
depends_on = None

# Files of sql/functions in order: what another one's signature or default names comes first.
FUNCTIONS = (
    "analyze_v1",
    "assume_v1",
    "canonical_float_v1",
    "canonical_json_v1",
    "canonical_number_v1",
    "canonical_scalar_v1",
    "cjk_class_v1",
    "count_bigrams_v1",
    "count_lexemes_v1",
    "document_slice_v1",
    "environment_v1",
    "granted_tenant_no_v1",
    "granted_v1",
    "lexical_leg_v1",
    "lexical_scan_v1",
    "query_terms_v1",
    "readable_libraries_v1",
    "require_backstop_v1",
    "strip_cjk_v1",
    "text_search_config_v1",
    "visible_classes_v1",
    "weigh_terms_v1",
)

TABLES = (
    "chunk_lexical",
    "chunk",
    "parent_window",
    "lexeme_stat",
    "lexeme",
    "document_page",
    "document_field",
    "corpus_stat",
    "library_field",
    "index_version",
    "document",
    "acl_reader",
    "library",
    "acl_class",
    "tenant",
    "grant_key",
)


def upgrade() -> None:
    """Create tables, then functions; policies and rights follow at the end of every migrate."""
    context = op.get_context()
    install_tables(context, "rpg0001_create_spine")
    install_functions(context, FUNCTIONS)


def downgrade() -> None:
    """Drop all of it, data included."""
    drop_everything(op.get_context(), TABLES)
