"""Who may do what: ONE table of rights. Every migrate applies it, and a test compares it with reality.

Nothing that is not written here is granted: PUBLIC and all group roles lose everything of ours first.

- ``RELATIONS``: table → role → rights; a table that is missing here has no rights at all.
- ``SEQUENCES``: sequence → role → rights (identity columns need none).
- ``FUNCTIONS``: function name (all its overloads) → the roles that may EXECUTE it.
- ``DEFINERS``: which of them act with their owner's rights.
- Nobody has a right on types.
"""

from collections.abc import Mapping

READER = "ragspine_reader"
"""Group role of logins that search. Never member of the other."""

INGEST = "ragspine_ingest"
"""Group role of logins that write documents. Never member of the other."""

GATE = "ragspine_gate"
"""Owns the functions that hand out text (``GATE_FUNCTIONS``), so that row-level security binds them; nobody's login."""

LOGIN_GROUPS: tuple[str, ...] = (READER, INGEST)
"""The groups that logins belong to."""

ROLES: tuple[str, ...] = (READER, INGEST, GATE)
"""All group roles."""

GATE_FUNCTIONS: tuple[str, ...] = ("find_document_v1", "read_passages_v1", "verify_locator_v1")

DEFINERS: Mapping[str, str] = {
    "admits_v1": "policies stand on it, and classes and their readers are for nobody to list",
    "explain_scores_v1": "postings and statistics mix classes, so no reader has a right on them",
    "find_document_v1": "the gate's: readers have no right on tables",
    "granted_v1": "only the owner reads the keys that verify grants",
    "lexical_leg_v1": "postings and statistics mix classes, so no reader has a right on them",
    "query_terms_v1": "statistics mix classes, so no reader has a right on them",
    "read_passages_v1": "the gate's: readers have no right on tables",
    "readable_descriptions_v1": "libraries without anything to read are not to be told from none",
    "readable_libraries_v1": "profile and environment of a library are not the reader's",
    "refresh_planner_v1": "only who owns a table may ANALYZE it",
    "revoke_v1": "only the owner writes the list of revoked grants, and only what verifies comes into it",
    "search_reason_v1": "statistics mix classes, so no reader has a right on them",
    "vector_leg_v1": "vectors mix classes, so no reader has a right on them",
    "verify_locator_v1": "the gate's: readers have no right on tables",
}
"""Every SECURITY DEFINER function, and why it cannot do with the caller's own rights."""

_WRITE = "SELECT, INSERT, UPDATE, DELETE"

RELATIONS: Mapping[str, Mapping[str, str]] = {
    # Both must be able to see whether the schema fits the code.
    "alembic_version": {READER: "SELECT", INGEST: "SELECT"},
    # Owner only: whoever reads a key can mint grants.
    "grant_key": {},
    # Written by revoke_v1, which takes none but what verifies.
    "revoked_grant": {},
    "tenant": {GATE: "SELECT", INGEST: _WRITE},
    "library": {GATE: "SELECT", INGEST: _WRITE},
    "dropped_library": {INGEST: "SELECT, INSERT, UPDATE"},
    "library_field": {INGEST: _WRITE},
    "acl_class": {GATE: "SELECT", INGEST: _WRITE},
    "acl_reader": {GATE: "SELECT", INGEST: _WRITE},
    "document": {GATE: "SELECT", INGEST: _WRITE},
    "document_page": {GATE: "SELECT", INGEST: _WRITE},
    "document_field": {INGEST: _WRITE},
    "index_version": {GATE: "SELECT", INGEST: _WRITE},
    "parent_window": {GATE: "SELECT", INGEST: _WRITE},
    "chunk": {GATE: "SELECT", INGEST: _WRITE},
    # The lexical internals mix classes: definer functions evaluate them, no reader sees them.
    "chunk_lexical": {INGEST: _WRITE},
    "chunk_embedding": {INGEST: _WRITE},
    "embedding_space": {INGEST: _WRITE},
    "pending_document": {INGEST: _WRITE},
    "lexeme": {INGEST: _WRITE},
    "lexeme_stat": {INGEST: _WRITE},
    "corpus_stat": {INGEST: _WRITE},
    "lexical_tail": {INGEST: _WRITE},
    "posting_segment": {INGEST: _WRITE},
    "posting_block": {INGEST: _WRITE},
    "posting_list": {INGEST: _WRITE},
}

SEQUENCES: Mapping[str, Mapping[str, str]] = {
    "batch": {INGEST: "USAGE"},
}

FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    # What a search calls, in Python or in SQL.
    "analyze": LOGIN_GROUPS,
    "assume": LOGIN_GROUPS,
    "libraries": (READER,),
    "search": (READER,),
    "search_json": (READER,),
    "search_lexical": (READER,),
    "search_vector": (READER,),
    "assume_v1": LOGIN_GROUPS,
    "check_search_v1": (READER,),
    "lexical_leg_v1": (READER,),
    "list_libraries_v1": (READER,),
    "vector_leg_v1": (READER,),
    "query_terms_v1": (READER,),
    "explain_scores_v1": (READER,),
    "read_passages_v1": (READER, GATE),
    "readable_descriptions_v1": (READER,),
    "readable_libraries_v1": (READER,),
    "search_hits_v1": (READER,),
    "search_reason_v1": (READER,),
    "search_json_v1": (READER,),
    "locator_v1": (READER,),
    "place_window_v1": (GATE,),
    "leg_weights_v1": (READER,),
    "require_fusion_v1": (READER,),
    "require_mode_v1": (READER,),
    "read_cursor_v1": (READER,),
    "search_request_v1": (READER,),
    "write_cursor_v1": (READER,),
    "search_v1": (READER,),
    "require_backstop_v1": (READER,),
    "document_slice_v1": (GATE, INGEST),
    "find_document_v1": (READER, GATE),
    "verify_locator": (READER,),
    "verify_locator_v1": (READER, GATE),
    # Canonical JSON.
    "canonical_float_v1": (READER,),
    "canonical_json_v1": (READER,),
    "canonical_number_v1": (READER,),
    "canonical_scalar_v1": (READER,),
    # The policies call these as whoever asks, the ingest role included.
    "granted_tenant_no_v1": ROLES,
    "granted_v1": ROLES,
    # It believes the grant that it is given, so it is for those alone whom a policy binds.
    "admits_v1": (GATE, INGEST),
    # Analysis, at query and at ingest.
    "analyze_text_v1": LOGIN_GROUPS,
    "analyze_v1": LOGIN_GROUPS,
    "parse_query_v1": LOGIN_GROUPS,
    "query_words_v1": LOGIN_GROUPS,
    "begin_words_v1": LOGIN_GROUPS,
    "cjk_class_v1": LOGIN_GROUPS,
    "count_bigrams_v1": LOGIN_GROUPS,
    "count_lexemes_v1": LOGIN_GROUPS,
    "drop_ignorable_v1": LOGIN_GROUPS,
    "find_identifiers_v1": LOGIN_GROUPS,
    "fold_accents_v1": LOGIN_GROUPS,
    "folded_stop_words_v1": LOGIN_GROUPS,
    "ignorable_class_v1": LOGIN_GROUPS,
    "list_analyzers_v1": LOGIN_GROUPS,
    "parse_analyzer_v1": LOGIN_GROUPS,
    "split_camel_v1": LOGIN_GROUPS,
    "strip_cjk_v1": LOGIN_GROUPS,
    "text_search_config_v1": LOGIN_GROUPS,
    "number_key_v1": (INGEST,),
    "field_key_v1": (INGEST,),
    "field_keys_v1": (INGEST,),
    "list_values_v1": (INGEST,),
    "read_instant_v1": (INGEST,),
    "read_instants_v1": (INGEST,),
    "environment_v1": (INGEST,),
    # What the ingest path writes with, and checks by.
    "acl_class_no_v1": (INGEST,),
    "analyze_chunk_v1": (INGEST,),
    "chunk_id_v1": (INGEST,),
    "counted_class_v1": (INGEST,),
    "document_analyzer_v1": (INGEST,),
    "document_field_keys_v1": (INGEST,),
    "document_sha256_v1": (INGEST,),
    "list_impacts_v1": (INGEST,),
    "list_lexemes_v1": (INGEST,),
    "list_unrecalled_v1": (INGEST,),
    "vector_scan_v1": (INGEST,),
    "demand_conditions_v1": (INGEST,),
    "embeds_v1": (INGEST,),
    "parse_embedding_v1": LOGIN_GROUPS,
    "parse_impacts_v1": (INGEST,),
    "parse_postings_v1": (INGEST,),
    "readers_sha256_v1": (INGEST,),
    "refresh_planner_v1": (INGEST,),
    # Who writes may take a grant back; who searches writes nothing, not even that.
    "revoke": (INGEST,),
    "revoke_v1": (INGEST,),
    "sort_readers_v1": (INGEST,),
}
