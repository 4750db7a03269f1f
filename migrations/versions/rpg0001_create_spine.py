"""Create the spine: tables, functions and row security of the lexical part.

The first one, so it runs before the code. Its DDL is the file beside it, generated until the first release.

Revision ID: rpg0001
Revises:
"""

from alembic import op

from ragspine_pg.schema.install import drop_everything, install_functions, install_tables, stamp_build

revision = "rpg0001"
down_revision = None
branch_labels = ("ragspine",)
depends_on = None

# Files of sql/functions in order: what another one's signature or default names comes first.
FUNCTIONS = (
    "acl_class_no_v1",
    "analyze",
    "analyze_chunk_v1",
    "analyze_v1",
    "assume",
    "assume_v1",
    "canonical_float_v1",
    "canonical_json_v1",
    "canonical_number_v1",
    "canonical_scalar_v1",
    "check_condition_v1",
    "check_instants_v1",
    "check_values_v1",
    "chunk_id_v1",
    "cjk_class_v1",
    "compile_condition_v1",
    "compile_filter_v1",
    "compile_membership_v1",
    "compile_narrowing_v1",
    "compile_node_v1",
    "compile_ordering_v1",
    "count_bigrams_v1",
    "count_lexemes_v1",
    "document_field_keys_v1",
    "document_sha256_v1",
    "document_slice_v1",
    "environment_v1",
    "field_key_v1",
    "field_keys_v1",
    "granted_tenant_no_v1",
    "granted_v1",
    "lexical_leg_v1",
    "lexical_scan_v1",
    "list_lexemes_v1",
    "list_values_v1",
    "locator_v1",
    "number_key_v1",
    "parse_impacts_v1",
    "place_window_v1",
    "query_terms_v1",
    "read_instant_v1",
    "read_instants_v1",
    "read_passages_v1",
    "readable_libraries_v1",
    "readers_sha256_v1",
    "refuse_filter_v1",
    "require_backstop_v1",
    "require_mode_v1",
    "search",
    "search_hits_v1",
    "search_json",
    "search_json_v1",
    "search_lexical",
    "search_v1",
    "sort_readers_v1",
    "strip_cjk_v1",
    "text_search_config_v1",
    "weigh_terms_v1",
    "refresh_planner_v1",
    "find_document_v1",
    "verify_locator",
    "verify_locator_v1",
    "drop_ignorable_v1",
    "ignorable_class_v1",
    "readable_descriptions_v1",
    "leg_weights_v1",
    "read_cursor_v1",
    "require_fusion_v1",
    "search_request_v1",
    "search_vector",
    "vector_leg_v1",
    "vector_scan_v1",
    "write_cursor_v1",
    "check_search_v1",
    "embeds_v1",
    "parse_embedding_v1",
    "vector_index_ddl_v1",
    "caller_v1",
    "list_unrecalled_v1",
    "libraries",
    "list_libraries_v1",
    "admits_v1",
    "matching_documents_v1",
    "revoke",
    "revoke_v1",
    "readable_library_no_v1",
    "counted_class_v1",
    "search_postings_v1",
    "list_impacts_v1",
    "parse_postings_v1",
    "reads_library_v1",
    "demand_conditions_v1",
    "find_prefixed_v1",
    "hold_phrases_v1",
    "parse_query_v1",
    "place_lexemes_v1",
    "query_words_v1",
    "read_demands_v1",
    "search_reason_v1",
    "weigh_query_v1",
    "begin_words_v1",
    "document_analyzer_v1",
    "find_identifiers_v1",
    "fold_accents_v1",
    "folded_stop_words_v1",
    "list_analyzers_v1",
    "parse_analyzer_v1",
    "split_camel_v1",
    "demanded_lexemes_v1",
    "explain_scores_v1",
    "admit_documents_v1",
    "select_candidates_v1",
    "sum_segments_v1",
    "analyze_text_v1",
)

TABLES = (
    "pending_document",
    "posting_list",
    "posting_block",
    "posting_segment",
    "lexical_tail",
    "chunk_embedding",
    "chunk_lexical",
    "chunk",
    "parent_window",
    "lexeme_stat",
    "lexeme",
    "document_page",
    "document_field",
    "corpus_stat",
    "dropped_library",
    "library_field",
    "index_version",
    "embedding_space",
    "document",
    "acl_reader",
    "library",
    "acl_class",
    "tenant",
    "grant_key",
    "revoked_grant",
)


def upgrade() -> None:
    """Create tables, then functions; policies and rights follow at the end of every migrate."""
    context = op.get_context()
    install_tables(context, "rpg0001_create_spine")
    install_functions(context, FUNCTIONS)
    stamp_build(context)


def downgrade() -> None:
    """Drop all of it, data included."""
    drop_everything(op.get_context(), TABLES)
