"""Settings: those that print, those that change plans, and those that change what errors and values look like."""

from tests.access.attacks.attack import Attack, Mask

FILTER = '{"field": "owner", "op": "gte", "value": "m"}'
DUE = '{"field": "due", "op": "lt", "value": "2040-01-01"}'
PROBES = (
    "SELECT document_id, score FROM ragspine.search('return an order', 20)",
    f"SELECT document_id, score FROM ragspine.search('return', 20, filter => '{FILTER}')",
    "SELECT * FROM ragspine.lexical_leg_v1(4, 'return', 9, '" + DUE + "')",
    "SELECT * FROM ragspine.vector_leg_v1(4, '{space}', '{embedding}', 9, '" + FILTER + "')",
    "SELECT * FROM ragspine.query_terms_v1(4, 'return nowhere')",
    "SELECT * FROM ragspine.readable_libraries_v1(NULL)",
    "SELECT * FROM ragspine.readable_descriptions_v1(NULL, 'return')",
    "SELECT place, document_id, text, window_text FROM ragspine.read_passages_v1("
    "ARRAY(SELECT 1 + n / 100 FROM generate_series(0, 999) AS n), ARRAY(SELECT n % 100 FROM generate_series(0, 999)"
    " AS n),"
    " 'parent')",
    "SELECT ragspine.find_document_v1('handbook', d) FROM unnest(ARRAY['open', 'nowhere']) AS d",
    "SELECT ragspine.verify_locator_v1('handbook', 'open', 'char=0,0;sha256=' || repeat('0', 64))",
    "SELECT * FROM ragspine.granted_v1()",
    "SELECT ragspine.granted_tenant_no_v1()",
)
"""Every function that acts with another's rights, called."""

_PLACE = Mask(r":(?:location|stmt_location|stmt_len|queryId|rtoffset) -?\d+", "where words stand in the statement")
_OIDS = Mask(
    r":(?:funcid|opno|opfuncid|relid|vartype|resulttype|funcresulttype|consttype|paramtype|opresulttype|invalItems|hashfuncid"
    r"|negfuncid|rellockmode|perminfoindex|checkAsUser|funcvariadic|eqop|sortop|oid|opcollid|coltypes|typeid|resorigtbl)"
    r" [^:]*",
    "object ids, which differ from database to database",
)
_CONSTANT = Mask(r"constvalue \d+ \[[^\]]*\]", "the bytes of a constant: an own one, or the object id of a name")
_CPU = Mask(r"CPU: user.*? elapsed: [\d.]+ s", "processor time")
PRINTED = (_PLACE, _OIDS, _CONSTANT)

_PRINTING = {
    "debug_print_parse": "the statement as it was parsed",
    "debug_print_rewritten": "with rules and policies in it",
    "debug_print_plan": "with the planner's estimates, which come of all rows",
    "trace_sort": "with the number of rows sorted",
    "trace_notify": "what is sent to whom",
}
_REFUSED = (
    "log_statement = 'all'",
    "log_min_duration_statement = 0",
    "log_min_duration_sample = 0",
    "log_duration = on",
    "log_parser_stats = on",
    "log_planner_stats = on",
    "log_executor_stats = on",
    "log_statement_stats = on",
    "log_lock_waits = on",
    "log_temp_files = 0",
    "log_error_verbosity = verbose",
    "log_min_messages = debug5",
    "log_min_error_statement = debug5",
    "track_functions = 'all'",
    "track_activities = off",
    "track_counts = off",
    "track_io_timing = on",
    "compute_query_id = on",
    "temp_file_limit = 0",
    "session_preload_libraries = 'auto_explain'",
    "shared_preload_libraries = 'auto_explain'",
    "session_replication_role = 'replica'",
    "zero_damaged_pages = on",
    "ignore_checksum_failure = on",
    "backtrace_functions = 'errstart'",
    "dynamic_library_path = '/tmp'",
    "allow_system_table_mods = on",
    "lc_messages = 'de_DE.UTF-8'",
    "jit_provider = 'x'",
    "auto_explain.log_min_duration = 0",
    "plpgsql.print_strict_params = on",
)

_SHAPES = {
    "sequential scans alone": (
        "enable_indexscan = off",
        "enable_indexonlyscan = off",
        "enable_bitmapscan = off",
        "enable_hashjoin = off",
        "enable_mergejoin = off",
    ),
    "parallel plans of everything": (
        "debug_parallel_query = on",
        "parallel_setup_cost = 0",
        "parallel_tuple_cost = 0",
        "min_parallel_table_scan_size = 0",
        "min_parallel_index_scan_size = 0",
    ),
    "custom plans": ("plan_cache_mode = force_custom_plan",),
    "generic plans": ("plan_cache_mode = force_generic_plan",),
    "joins in the order written": ("join_collapse_limit = 1", "from_collapse_limit = 1", "geqo_threshold = 2"),
    "absurd costs": ("cpu_operator_cost = 1e9", "cpu_tuple_cost = 0", "seq_page_cost = 0", "random_page_cost = 1e9"),
    "no memory": ("work_mem = '64kB'", "hash_mem_multiplier = 1", "maintenance_work_mem = '1MB'"),
    "all compiled": ("jit = on", "jit_above_cost = 0", "jit_inline_above_cost = 0", "jit_optimize_above_cost = 0"),
    "an HNSW scan of the caller's own making": (
        "hnsw.ef_search = 1000",
        "hnsw.iterative_scan = 'strict_order'",
        "hnsw.max_scan_tuples = 1",
        "enable_sort = off",
        "enable_seqscan = off",
    ),
    "constraints on everything": ("constraint_exclusion = on", "enable_partition_pruning = off", "row_security = on"),
}
_LOOKS = {
    "a search path with everything else first": ("search_path = pg_temp, extensions, public, ragspine, pg_catalog",),
    "no search path": ("search_path = ''",),
    "other spellings": (
        "datestyle = 'German, DMY'",
        "timezone = 'Asia/Kathmandu'",
        "intervalstyle = 'iso_8601'",
        "extra_float_digits = -15",
        "bytea_output = 'escape'",
        "xmloption = 'document'",
        "xmlbinary = 'hex'",
        "default_text_search_config = 'pg_catalog.german'",
    ),
    "other rules of strings": (
        "standard_conforming_strings = off",
        "backslash_quote = on",
        "escape_string_warning = off",
        "transform_null_equals = on",
        "array_nulls = off",
        "quote_all_identifiers = on",
    ),
    "an encoding that cannot hold everything": ("client_encoding = 'SQL_ASCII'",),
    "a transaction of another kind": (
        "default_transaction_isolation = 'serializable'",
        "default_transaction_read_only = on",
        "default_transaction_deferrable = on",
    ),
    "PL/pgSQL of another kind": (
        "plpgsql.variable_conflict = 'use_column'",
        "plpgsql.extra_warnings = 'all'",
        "plpgsql.extra_errors = 'all'",
        "plpgsql.check_asserts = on",
    ),
    "functions unchecked": (
        "check_function_bodies = off",
        "event_triggers = off",
        "restrict_nonsystem_relation_kind = 'view'",
    ),
}


def _set(*settings: str) -> tuple[str, ...]:
    return tuple(f"SET {setting}" for setting in settings)


ATTACKS = [
    *(
        Attack(
            f"{name} to the client",
            f"it sends, at level LOG, {shown}",
            ("SET client_min_messages = log", f"SET {name} = on", "SET debug_pretty_print = off", *PROBES),
            masks=(*PRINTED, _CPU),
        )
        for name, shown in _PRINTING.items()
    ),
    Attack(
        "every message there is",
        "DEBUG5 is what developers of the server want to know",
        ("SET client_min_messages = debug5", *PROBES),
        masks=(
            Mask(
                r"(?m)^.*(?:StartTransaction|CommitTransaction|AbortTransaction|rehashing|vacuum).*$",
                "transaction numbers",
            ),
        ),
    ),
    Attack(
        "settings that are an administrator's",
        "what an administrator has printed is not for a reader to switch on",
        _set(*_REFUSED),
    ),
    Attack(
        "auto_explain",
        "it prints the plans of nested statements, rows removed by filters and all",
        (
            "LOAD 'auto_explain'",
            "LOAD '$libdir/plugins/auto_explain'",
            "SET local_preload_libraries = 'auto_explain'",
            "SET client_min_messages = log",
            "SET auto_explain.log_min_duration = 0",
            "SET auto_explain.log_nested_statements = on",
            "SET auto_explain.log_analyze = on",
            *PROBES,
        ),
    ),
    *(
        Attack(f"plans: {name}", "a plan decides what is looked at, not what is found", (*_set(*how), *PROBES))
        for name, how in _SHAPES.items()
    ),
    *(
        Attack(f"looks: {name}", "what our functions do must not hang on it", (*_set(*how), *PROBES))
        for name, how in _LOOKS.items()
    ),
    Attack(
        "parameters of errors",
        "errors can be made to quote the parameters of the statement",
        (
            "SET log_parameter_max_length_on_error = -1",
            "PREPARE p(text) AS SELECT * FROM ragspine.search($1, 0)",
            "EXECUTE p('return')",
            "PREPARE q(jsonb) AS SELECT * FROM ragspine.search('x', filter => $1)",
            """EXECUTE q('{"field": "owner", "op": "nope"}')""",
        ),
    ),
    Attack(
        "time and space as oracles",
        "a timeout or a full disk breaks off where rows are many: no more than that it was slow",
        (
            "SET statement_timeout = '1ms'",
            "SELECT count(*) FROM generate_series(1, 100), ragspine.lexical_leg_v1(4, 'return', 9)",
            "RESET statement_timeout",
            "SET max_stack_depth = '100kB'",
            "SELECT ragspine.search_json('return an order')",
        ),
        left_open="Time",
    ),
]
