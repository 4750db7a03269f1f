-- Has the planner's statistics made where it would otherwise plan blindly. Called between the slices of an ingest.
--
-- tenant_no, version_no: the version that is being written.
-- Returns  the number of tables that were analysed.
--
-- Every key begins with tenant_no, most with version_no. Of a table without statistics, or of a tenant or version it has not
-- seen, the planner expects one row whatever index it takes, so all seem equal: it looks up a word by reading all words of
-- the version, and checks a foreign key by reading all documents of a class (docs/adr/0005: 20,000 documents took 77 s
-- instead of 19 s). Autovacuum comes after the commit, and for a new version only once the table has grown by a tenth.
--
-- So a table of 16 pages or more is analysed when it has no statistics, when it is five times as large as when it was last
-- looked at, or when tenant or version is unknown and large enough for a sample to find. That is amortised over the rows
-- written. Only numbers and names are looked at, no texts and vectors. A table somebody else is analysing is skipped. The
-- lock, kept to the end of the transaction, stops no reader and no writer, only another ANALYZE, VACUUM or change of the
-- table.
--
-- SECURITY DEFINER: only a table's owner may analyse it (MAINTAIN exists since PostgreSQL 17). It takes two numbers and
-- gives one back; what a member of ragspine_ingest can do with it is have statistics made of tables that need them.
CREATE FUNCTION ragspine.refresh_planner_v1(tenant_no integer, version_no integer)
RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  stale record;
  analysed integer := 0;
BEGIN
  FOR stale IN
    SELECT c.relname,
           (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
              FROM pg_catalog.pg_attribute AS a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
               AND (a.atttypid IN ('integer'::regtype, 'bigint'::regtype)
                    OR a.attcollation = '"C"'::regcollation)) AS columns
      FROM pg_catalog.pg_class AS c
     CROSS JOIN LATERAL (SELECT pg_relation_size(c.oid) / current_setting('block_size')::integer AS pages) AS size
      LEFT JOIN pg_catalog.pg_stats AS t
        ON t.schemaname = 'ragspine' AND t.tablename = c.relname AND t.attname = 'tenant_no'
      LEFT JOIN pg_catalog.pg_stats AS v
        ON v.schemaname = 'ragspine' AND v.tablename = c.relname AND v.attname = 'version_no'
     WHERE c.relnamespace = 'ragspine'::regnamespace
       AND c.relname IN ('acl_class', 'acl_reader', 'document', 'document_page', 'document_field', 'parent_window', 'chunk',
                         'chunk_lexical', 'lexeme', 'lexeme_stat', 'corpus_stat')
       AND size.pages >= 16
       AND (t.attname IS NULL
            OR size.pages > 5 * c.relpages
            OR (NOT $1 = ANY (t.most_common_vals::text::integer[])
                AND (SELECT sum(f.share) FROM unnest(t.most_common_freqs) AS f(share)) > 0.99
                OR NOT $2 = ANY (v.most_common_vals::text::integer[])
                AND (SELECT sum(f.share) FROM unnest(v.most_common_freqs) AS f(share)) > 0.99)
               AND (SELECT sum(s.chunk_count) FROM ragspine.corpus_stat AS s
                     WHERE s.tenant_no = $1 AND s.version_no = $2) > c.reltuples / 3000)
     ORDER BY c.relname
  LOOP
    EXECUTE format('ANALYZE (SKIP_LOCKED) ragspine.%I (%s)', stale.relname, stale.columns);
    analysed := analysed + 1;
  END LOOP;
  RETURN analysed;
END
$$;

COMMENT ON FUNCTION ragspine.refresh_planner_v1(integer, integer) IS 'Planner statistics where the planner would plan blindly.';
