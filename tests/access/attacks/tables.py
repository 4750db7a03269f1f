"""Straight at the tables: reading, writing, and every way of having a row looked at."""

from ragspine_pg.schema.tables import metadata
from tests.access.attacks.attack import Attack

TABLES = sorted(table.name for table in metadata.tables.values())
_CHUNK = "ragspine.chunk"

ATTACKS = [
    Attack(
        "every table, every column",
        "rights on tables are the first thing to try",
        tuple(f"TABLE ragspine.{table}" for table in TABLES),
    ),
    Attack(
        "count, exists and no column at all",
        "a SELECT without columns needs some right on the table, too",
        tuple(
            statement
            for table in TABLES
            for statement in (f"SELECT count(*) FROM ragspine.{table}", f"SELECT FROM ragspine.{table} LIMIT 1")
        ),
    ),
    Attack(
        "system columns",
        "where a row lies and who wrote it tells of rows",
        f"SELECT ctid, xmin, xmax, cmin, tableoid, c FROM {_CHUNK} AS c",
    ),
    Attack(
        "a cast that quotes the value it refuses",
        'invalid input syntax for type integer: "..." is the classic',
        (
            f"SELECT string_agg(text, '' ORDER BY chunk_no DESC)::integer FROM {_CHUNK}",
            "SELECT metadata::text::point FROM ragspine.document",
            "SELECT count(*) FROM ragspine.document WHERE title::timestamptz > now()",
            "SELECT xmlparse(document text) FROM ragspine.document_page",
        ),
    ),
    Attack(
        "a leaky function in the condition",
        "it would be run on rows before a policy is",
        f"SELECT FROM {_CHUNK} WHERE pg_catalog.set_config('a.b', text, false) <> '' AND 1 / length(text) = 1",
    ),
    Attack(
        "COPY out",
        "COPY has rights of its own",
        (f"COPY {_CHUNK} TO STDOUT", f"COPY (SELECT * FROM {_CHUNK}) TO STDOUT", "COPY ragspine.lexeme TO STDOUT"),
    ),
    Attack(
        "COPY to a file or a program, and from one",
        "whatever the server can read",
        (
            f"COPY {_CHUNK} TO PROGRAM 'cat'",
            f"COPY {_CHUNK} TO '/tmp/out'",
            "COPY ragspine.document_page FROM PROGRAM 'ls'",
            "COPY ragspine.document_page FROM STDIN",
        ),
    ),
    Attack(
        "writing",
        "RETURNING and the counts of a command tell, and a unique violation quotes keys",
        (
            "UPDATE ragspine.document SET acl_class_no = acl_class_no RETURNING *",
            "DELETE FROM ragspine.document RETURNING *",
            "INSERT INTO ragspine.tenant (tenant) SELECT 'acme' RETURNING *",
            "INSERT INTO ragspine.acl_reader SELECT 1, 'user:ann', acl_class_no FROM ragspine.acl_class",
            "MERGE INTO ragspine.chunk AS c USING ragspine.chunk AS d ON c = d WHEN MATCHED THEN DELETE",
            "TRUNCATE ragspine.chunk CASCADE",
        ),
    ),
    Attack(
        "locking and keeping",
        "SELECT FOR UPDATE, LOCK, VACUUM VERBOSE and ANALYZE VERBOSE report rows",
        (
            f"SELECT * FROM {_CHUNK} FOR UPDATE",
            "BEGIN",
            f"LOCK TABLE {_CHUNK} IN ACCESS SHARE MODE",
            "ROLLBACK",
            f"ANALYZE VERBOSE {_CHUNK}",
            f"VACUUM (VERBOSE) {_CHUNK}",
            f"VACUUM (VERBOSE, ANALYZE) {_CHUNK} (text)",
            f"CLUSTER VERBOSE {_CHUNK} USING pk_chunk",
            f"REINDEX (VERBOSE) TABLE {_CHUNK}",
        ),
    ),
    Attack(
        "changing the tables",
        "an index expression, a rule, a trigger or a view of an attacker's runs on every row",
        (
            f"CREATE INDEX ON {_CHUNK} ((text::integer))",
            f"CREATE RULE leak AS ON SELECT TO {_CHUNK} DO INSTEAD SELECT 1",
            f"CREATE TRIGGER leak AFTER UPDATE ON {_CHUNK} EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            f"ALTER TABLE {_CHUNK} DISABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {_CHUNK} OWNER TO reader",
            "CREATE POLICY leak ON ragspine.document USING (true)",
            "DROP POLICY readable ON ragspine.document",
            f"CREATE STATISTICS leak ON text, chunk_id FROM {_CHUNK}",
            f"COMMENT ON TABLE {_CHUNK} IS 'mine'",
            f"GRANT SELECT ON {_CHUNK} TO reader",
            "CREATE VIEW public.leak AS SELECT * FROM ragspine.chunk",
            "CREATE MATERIALIZED VIEW public.leak AS SELECT * FROM ragspine.chunk",
            "CREATE TABLE public.heir () INHERITS (ragspine.chunk)",
            "CREATE TABLE public.referring (n integer, m bigint REFERENCES ragspine.document)",
            "CREATE PUBLICATION leak FOR TABLE ragspine.chunk",
        ),
    ),
    Attack(
        "a DO block that keeps every error",
        "all fields of a diagnosis, as PL/pgSQL sees them",
        """
        DO $$
        DECLARE
          name text; a text; b text; c text; d text; e text; f text;
        BEGIN
          FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'ragspine'::regnamespace ORDER BY 1 LOOP
            BEGIN
              EXECUTE format('SELECT (t::text)::integer FROM ragspine.%I AS t', name);
            EXCEPTION WHEN OTHERS THEN
              GET STACKED DIAGNOSTICS a = MESSAGE_TEXT, b = PG_EXCEPTION_DETAIL, c = PG_EXCEPTION_HINT,
                d = PG_EXCEPTION_CONTEXT, e = COLUMN_NAME, f = CONSTRAINT_NAME;
              RAISE NOTICE '% % % % % % %', name, a, b, c, d, e, f;
            END;
          END LOOP;
        END $$""",
    ),
    Attack(
        "lateral joins and sub-selects",
        "rights are checked for the whole query, wherever a table stands in it",
        (
            f"SELECT * FROM generate_series(1, 9) AS n, LATERAL (SELECT text FROM {_CHUNK} WHERE chunk_no = n) AS c",
            f"SELECT (SELECT string_agg(text, '') FROM {_CHUNK})",
            f"WITH c AS MATERIALIZED (SELECT text FROM {_CHUNK}) SELECT * FROM c",
            f"SELECT * FROM {_CHUNK} TABLESAMPLE SYSTEM (100)",
            "SELECT * FROM ONLY ragspine.document NATURAL JOIN ragspine.chunk",
        ),
    ),
    Attack(
        "whatever may be read",
        "a view, a table or a partition that somebody left open, in any schema",
        """
        DO $$
        DECLARE
          relation text;
          found text;
        BEGIN
          FOR relation IN
            SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^(pg_|information_schema$)'
               AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1 LOOP
            FOR found IN EXECUTE format('SELECT t::text FROM %s AS t ORDER BY 1', relation) LOOP
              RAISE NOTICE '% %', relation, found;
            END LOOP;
          END LOOP;
        END $$""",
    ),
    Attack(
        "whatever may be read of the server's own",
        "every catalogue and view, row by row, for a hidden word; what others are doing is another attack's",
        """
        DO $$
        DECLARE
          relation text;
          found text;
        BEGIN
          FOR relation IN
            SELECT c.oid::regclass::text FROM pg_class AS c
             WHERE c.relkind IN ('r', 'v')
               AND c.relnamespace::regnamespace::text IN ('pg_catalog', 'information_schema')
               AND has_table_privilege(c.oid, 'SELECT') AND c.relname <> 'pg_stat_activity'
             ORDER BY 1 LOOP
            BEGIN
              FOR found IN EXECUTE format($q$SELECT t::text FROM %s AS t WHERE t::text ~* '{pattern}'$q$, relation) LOOP
                RAISE NOTICE '% %', relation, found;
              END LOOP;
            EXCEPTION WHEN OTHERS THEN
              RAISE NOTICE '% is refused', relation;
            END;
          END LOOP;
        END $$""",
    ),
    Attack("the same without a grant", "no grant, no rows", f"SELECT * FROM {_CHUNK}", holding="none"),
]
