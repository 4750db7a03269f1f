"""Functions of the server that run statements, read files, or tell of others."""

from tests.access.attacks.attack import Attack, Mask

ATTACKS = [
    Attack(
        "statements in strings",
        "they run with the caller's own rights",
        (
            "SELECT query_to_xml('SELECT text FROM ragspine.chunk', true, false, '')",
            "SELECT table_to_xml('ragspine.chunk', true, false, '')",
            "SELECT schema_to_xml('ragspine', true, false, '')",
            "SELECT database_to_xml(true, false, '')",
            "SELECT query_to_xmlschema('SELECT * FROM ragspine.document', true, false, '')",
            "SELECT * FROM ts_stat('SELECT to_tsvector(text) FROM ragspine.chunk')",
            "SELECT ts_rewrite('a & b'::tsquery, 'SELECT text::tsquery, text::tsquery FROM ragspine.chunk')",
            "SELECT * FROM pg_get_keywords() LIMIT 0",
        ),
    ),
    Attack(
        "statements in strings, of our functions",
        "what they may read by functions they may read in XML as well",
        (
            "SELECT query_to_xml('SELECT document_id FROM ragspine.search(''return'', 50)', true, false, '')",
            "SELECT * FROM ts_stat('SELECT to_tsvector(text) FROM ragspine.search(''return'', 50)') ORDER BY 1",
        ),
    ),
    Attack(
        "files",
        "the data directory holds everything",
        (
            "SELECT pg_read_file('postgresql.conf')",
            "SELECT pg_read_binary_file('global/pg_control')",
            "SELECT pg_read_binary_file(pg_relation_filepath('ragspine.chunk'))",
            "SELECT pg_ls_dir('base')",
            "SELECT pg_ls_waldir()",
            "SELECT pg_ls_logdir()",
            "SELECT pg_stat_file('base')",
            "SELECT lo_import('/etc/passwd')",
            "SELECT pg_current_logfile()",
        ),
    ),
    Attack(
        "large objects",
        "anybody may make one, and nobody's text is in one",
        (
            "SELECT lo_get(oid) FROM pg_largeobject_metadata",
            "SELECT * FROM pg_largeobject",
            "BEGIN",
            "SELECT lo_export(lo_from_bytea(0, '\\x00'), '/tmp/out')",
            "ROLLBACK",
        ),
    ),
    Attack(
        "extensions that look into pages",
        "none of them is there, and no reader may make one",
        (
            "SELECT * FROM get_raw_page('ragspine.chunk', 0)",
            "SELECT * FROM heap_page_items(NULL)",
            "SELECT * FROM pgstattuple('ragspine.chunk')",
            "SELECT * FROM pg_visibility_map('ragspine.chunk')",
            "SELECT * FROM pg_buffercache",
            "SELECT * FROM pg_get_wal_records_info('0/0', '0/1')",
            "SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t(n integer)",
            "SELECT query FROM pg_stat_statements",
        ),
    ),
    Attack(
        "the log of changes",
        "logical decoding shows every row that is written",
        (
            "SELECT pg_create_logical_replication_slot('leak', 'test_decoding')",
            "SELECT * FROM pg_logical_slot_peek_changes('leak', NULL, NULL)",
            "SELECT pg_current_wal_lsn() IS NULL",
            "SELECT pg_logical_emit_message(false, 'mine', 'x') IS NULL",
            "SELECT pg_switch_wal()",
        ),
    ),
    Attack(
        "snapshots of others",
        "a snapshot shows committed rows, to whoever has a right on them",
        (
            "BEGIN ISOLATION LEVEL REPEATABLE READ",
            "SELECT pg_export_snapshot() IS NULL",
            "ROLLBACK",
            "BEGIN ISOLATION LEVEL REPEATABLE READ",
            "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'",
            "ROLLBACK",
            "SELECT pg_xact_status(pg_current_xact_id())",
            "SELECT xmin IS NULL FROM pg_snapshot_xip(pg_current_snapshot()) AS xmin",
        ),
    ),
    Attack(
        "how much is written",
        "transaction numbers and positions in the log of changes are the whole server's",
        (
            "SELECT pg_current_xact_id(), pg_current_snapshot()",
            "SELECT pg_current_wal_insert_lsn()",
            "SELECT txid_current()",
        ),
        left_open="Sizes",
    ),
    Attack(
        "listening",
        "nothing of ours sends notifications",
        (
            "LISTEN ragspine",
            "LISTEN chunk",
            "LISTEN invalidate",
            "SELECT * FROM ragspine.search('return', 1)",
            "NOTIFY ragspine, 'mine'",
            "SELECT * FROM pg_listening_channels() ORDER BY 1",
        ),
    ),
    Attack(
        "advisory locks",
        "readers take none of ours, and none tells of a row",
        (
            "SELECT pg_try_advisory_lock(1)",
            "SELECT pg_try_advisory_xact_lock(n) FROM generate_series(1, 3) AS n",
            "SELECT classid, objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
            "SELECT pg_advisory_unlock_all()",
        ),
    ),
    Attack(
        "the sessions of others",
        "to stop them, or to have them logged",
        (
            # A process of the server's own, which is always there: logins come and go with the tests that run beside.
            "SELECT pg_cancel_backend(min(pid)) FROM pg_stat_activity WHERE usename IS NULL",
            "SELECT pg_terminate_backend(1)",
            "SELECT pg_log_backend_memory_contexts(pg_backend_pid())",
            "SELECT pg_blocking_pids(1)",
            "SELECT sum(total_bytes) > 0 FROM pg_backend_memory_contexts",
            "SELECT count(*) > 0 FROM pg_shmem_allocations",
        ),
    ),
    Attack(
        "a transaction in two phases",
        "it would keep a grant's effects",
        (
            "BEGIN",
            "SELECT count(*) FROM ragspine.search('return')",
            "PREPARE TRANSACTION 'leak'",
            "ROLLBACK",
            "COMMIT PREPARED 'leak'",
        ),
    ),
    Attack(
        "messages of one's own",
        "RAISE in a DO block shows what the caller has, and the whole call stack",
        """
        DO $$
        DECLARE
          stack text;
          one record;
        BEGIN
          FOR one IN SELECT * FROM ragspine.search('return an order', 50) LOOP
            RAISE INFO 'have %', one.document_id;
          END LOOP;
          GET DIAGNOSTICS stack = PG_CONTEXT;
          RAISE WARNING '%', stack;
          PERFORM * FROM ragspine.search('return', 0);
        EXCEPTION WHEN OTHERS THEN
          GET STACKED DIAGNOSTICS stack = PG_EXCEPTION_CONTEXT;
          RAISE NOTICE '% %', SQLERRM, stack;
        END $$""",
    ),
    Attack(
        "functions of operators and types",
        "called directly, with a table's row type for an argument",
        (
            "SELECT record_out(c) FROM ragspine.chunk AS c",
            'SELECT jsonb_populate_record(NULL::ragspine.chunk, \'{"text": "mine"}\')',
            "SELECT NULL::ragspine.document IS NULL",
            "SELECT pg_typeof(NULL::ragspine.lexeme)",
            "SELECT array_send(ARRAY[c]) FROM ragspine.chunk AS c",
            "SELECT satisfies_hash_partition('ragspine.chunk'::regclass, 1, 0, 1)",
            "SELECT pg_collation_for(text) FROM ragspine.chunk",
            "SELECT currtid2('ragspine.chunk', '(0,1)')",
            "SELECT pg_column_size(c) FROM ragspine.chunk AS c",
            "SELECT brin_summarize_new_values('ragspine.pk_chunk'::regclass)",
            "SELECT gin_clean_pending_list('ragspine.pk_chunk'::regclass)",
            "SELECT amvalidate(10)",
        ),
    ),
    Attack(
        "random numbers and hashes",
        "gen_random_uuid is what a comparison of signatures hides behind",
        (
            "SELECT setseed(0)",
            "SELECT * FROM ragspine.granted_v1()",
            "SELECT document_id FROM ragspine.search('return')",
        ),
        masks=(Mask(r"$^", "nothing: both are the caller's own"),),
    ),
]
