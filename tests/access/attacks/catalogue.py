"""What the catalogues and the views on the server's work tell everybody."""

from tests.access.attacks.attack import Attack, Mask
from tests.access.attacks.tables import TABLES

_OURS = "(SELECT oid FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace)"

ATTACKS = [
    Attack(
        "the planner's statistics",
        "most common values and histograms are values of rows",
        (
            "SELECT * FROM pg_stats WHERE schemaname = 'ragspine'",
            "SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = 'document_field'",
            "TABLE pg_statistic",
            "SELECT stavalues1 FROM pg_statistic WHERE starelid = 'ragspine.chunk'::regclass",
        ),
    ),
    Attack(
        "extended statistics",
        "most common combinations, and dependencies",
        (
            "SELECT * FROM pg_stats_ext WHERE schemaname = 'ragspine'",
            "SELECT * FROM pg_stats_ext_exprs WHERE schemaname = 'ragspine'",
            "TABLE pg_statistic_ext_data",
            "SELECT stxddependencies FROM pg_statistic_ext_data",
            "SELECT pg_mcv_list_items(stxdmcv) FROM pg_statistic_ext_data",
        ),
    ),
    Attack(
        "rows and pages of a table",
        "the planner's count of rows stands in pg_class, for everybody to read",
        f"SELECT relname, reltuples, relpages, relallvisible, age(relfrozenxid) FROM pg_class WHERE oid IN {_OURS}",
        left_open="Sizes",
    ),
    Attack(
        "sizes of a table",
        "size functions need no right",
        (
            *(
                f"SELECT {function}('ragspine.{table}')"
                for function in ("pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size")
                for table in TABLES
            ),
            "SELECT pg_database_size(current_database())",
            "SELECT pg_size_pretty(pg_relation_size('ragspine.chunk', 'fsm'))",
        ),
        left_open="Sizes",
    ),
    Attack(
        "sequences",
        "how many documents there have been",
        (
            "SELECT * FROM pg_sequences WHERE schemaname = 'ragspine'",
            "SELECT * FROM ragspine.batch",
            "SELECT nextval('ragspine.batch')",
            "SELECT currval('ragspine.batch')",
            "SELECT last_value FROM ragspine.document_document_no_seq",
            "SELECT pg_sequence_last_value(c.oid) FROM pg_class AS c WHERE c.relkind = 'S' AND c.relnamespace ="
            " 'ragspine'::regnamespace",
            "SELECT pg_get_sequence_data(c.oid) FROM pg_class AS c WHERE c.relkind = 'S' AND c.relnamespace ="
            " 'ragspine'::regnamespace",
        ),
    ),
    Attack(
        "numbers of what may be read",
        "tenants, versions and chunks are numbered in the order in which they come, over the whole database",
        (
            "SELECT tenant_no FROM ragspine.granted_v1()",
            "SELECT version_no FROM ragspine.readable_libraries_v1(NULL)",
            "SELECT chunk_no FROM ragspine.lexical_leg_v1(4, 'return', 50) ORDER BY 1",
        ),
    ),
    Attack(
        "names and definitions",
        "of our own objects: they are in the package for all to read",
        (
            "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace ORDER BY 1",
            "SELECT indexrelid::regclass, pg_get_indexdef(indexrelid), pg_get_expr(indpred, indrelid) FROM pg_index"
            f" WHERE indrelid IN {_OURS} ORDER BY indexrelid::regclass::text",
            "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy ORDER BY polname, polrelid::regclass::text",
            "SELECT prosrc, proconfig FROM pg_proc WHERE pronamespace = 'ragspine'::regnamespace ORDER BY proname, 1",
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'ragspine'::regnamespace ORDER"
            " BY conname",
            f"SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid IN {_OURS}",
            f"SELECT attname, attoptions, attmissingval FROM pg_attribute WHERE attrelid IN {_OURS} ORDER BY"
            f" attrelid::regclass::text, attnum",
            "SELECT description FROM pg_description AS d JOIN pg_class AS c ON c.oid = d.objoid AND c.relnamespace ="
            " 'ragspine'::regnamespace ORDER BY 1",
            "SELECT label FROM pg_seclabels",
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'ragspine'",
            "SELECT * FROM information_schema.role_table_grants WHERE table_schema = 'ragspine'",
        ),
    ),
    Attack(
        "an index that belongs to a version",
        "the HNSW index of a large version is named after its number, and states the vectors' dimensions",
        "SELECT relname, pg_get_indexdef(oid) FROM pg_class WHERE relname LIKE 'ix_chunk_embedding__hnsw%'",
        left_open="Names",
    ),
    Attack(
        "rights",
        "which are in the package, too, and belong to no tenant or version",
        "SELECT relname, relacl FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace ORDER BY 1",
    ),
    Attack(
        "sessions of others",
        "their statements are shown to who has the same role, and no parameter of them",
        (
            "SELECT usename, query, query_id, application_name FROM pg_stat_activity"
            " WHERE usename IS DISTINCT FROM 'reader' AND datname = current_database()",
            "SELECT query FROM pg_stat_activity WHERE query ILIKE '%rg1.%' AND pid <> pg_backend_pid()",
            "SELECT pg_stat_get_backend_activity(1), pg_stat_get_backend_client_addr(1) IS NULL",
        ),
        left_open="Sessions",
    ),
    Attack(
        "locks",
        "which tables are in use, and by advisory locks of what",
        "SELECT locktype, relation::regclass, mode, classid, objid FROM pg_locks WHERE locktype = 'advisory' AND pid"
        " <> pg_backend_pid()",
        left_open="Sessions",
    ),
    Attack(
        "progress and replication",
        "views on work in progress, of which others' columns are empty",
        (
            "SELECT * FROM pg_stat_progress_copy WHERE datname = current_database()",
            "SELECT * FROM pg_stat_progress_create_index WHERE datname = current_database()",
            "SELECT * FROM pg_stat_progress_analyze WHERE datname = current_database()",
            "SELECT * FROM pg_stat_progress_vacuum WHERE datname = current_database()",
            "SELECT * FROM pg_stat_replication",
            "SELECT slot_name FROM pg_replication_slots",
            "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()",
            "SELECT name FROM pg_prepared_statements",
            "SELECT name FROM pg_cursors",
            "SELECT * FROM pg_stat_subscription",
        ),
    ),
    Attack(
        "counters of tables and indexes",
        "they count the rows that a search looked at, and an administrator closes them",
        (
            "SELECT * FROM ragspine.search('return', 5)",
            "SELECT relname, seq_tup_read, idx_tup_fetch, n_live_tup, n_dead_tup FROM pg_stat_all_tables WHERE"
            " schemaname = 'ragspine'",
            "SELECT relname, seq_scan, idx_tup_fetch FROM pg_stat_xact_all_tables WHERE schemaname = 'ragspine'",
            "SELECT indexrelname, idx_tup_read FROM pg_stat_all_indexes WHERE schemaname = 'ragspine'",
            "SELECT * FROM pg_statio_all_tables WHERE schemaname = 'ragspine'",
            f"SELECT pg_stat_get_xact_numscans(oid) FROM pg_class WHERE oid IN {_OURS}",
            f"SELECT pg_stat_get_live_tuples(oid), pg_stat_get_mod_since_analyze(oid) FROM pg_class WHERE oid IN"
            f" {_OURS}",
            f"SELECT pg_stat_get_tuples_inserted(oid), pg_stat_get_blocks_fetched(oid) FROM pg_class WHERE oid IN"
            f" {_OURS}",
        ),
    ),
    Attack(
        "counters of functions",
        "kept only where an administrator has said so",
        (
            "SELECT * FROM pg_stat_user_functions",
            "SELECT * FROM pg_stat_xact_user_functions",
            "SELECT pg_stat_get_function_calls('ragspine.granted_v1'::regproc)",
        ),
    ),
    Attack(
        "counters of the database and of the session",
        "sums over everything: rows read, blocks, temporary files",
        (
            "SELECT tup_returned, tup_fetched, blks_hit, temp_bytes, xact_commit FROM pg_stat_database WHERE datname"
            " = current_database()",
            "SELECT pg_stat_get_backend_io(pg_backend_pid())",
            "SELECT object, context, reads, hits FROM pg_stat_io WHERE backend_type = 'client backend'",
            "SELECT wal_records FROM pg_stat_wal",
        ),
        left_open="Work",
    ),
    Attack(
        "times of vacuum and analyze",
        "they follow from how much is written",
        (
            f"SELECT pg_stat_get_last_vacuum_time(oid) IS NULL, pg_stat_get_analyze_count(oid) FROM pg_class WHERE"
            f" oid IN {_OURS}",
        ),
        left_open="Sizes",
    ),
    Attack(
        "settings of the server",
        "paths and secrets among them",
        (
            "SELECT name, setting FROM pg_settings WHERE name IN ('data_directory', 'hba_file', 'primary_conninfo')",
            "TABLE pg_hba_file_rules",
            "TABLE pg_file_settings",
            "SELECT rolname, rolpassword FROM pg_authid",
            "SELECT usename, passwd FROM pg_shadow",
            "SELECT datname, setconfig FROM pg_database AS d JOIN pg_db_role_setting AS s ON s.setdatabase = d.oid"
            " AND d.datname = current_database()",
            "TABLE pg_user_mapping",
            "SELECT subconninfo FROM pg_subscription",
        ),
        masks=(Mask(r"(?m)^.*(?:data_directory|hba_file).*$", "where the test server lies"),),
    ),
]
