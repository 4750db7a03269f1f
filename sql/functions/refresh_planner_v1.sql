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
-- looked at, or when tenant or version is unknown and large enough for a sample to find; and when it has grown by a fiftieth
-- and holds a thousand rows of the tenant and version where less than a hundred are expected (a large tenant among
-- many small ones: they are no complete list of common values, so the new one counts as one of them). That is amortised
-- over the rows written. Only numbers and names are looked at, no texts and vectors. A table somebody else is analysing is
-- skipped. The lock, kept to the end of the transaction, stops no reader and no writer, only another ANALYZE, VACUUM or
-- change of the table.
--
-- SECURITY DEFINER: only a table's owner may analyse it (MAINTAIN exists since PostgreSQL 17). It takes two numbers and
-- gives one back; what a member of ragspine_ingest can do with it is have statistics made of tables that need them.
CREATE FUNCTION ragspine.refresh_planner_v1(tenant_no integer, version_no integer)
RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error  -- or a caller has the plans in here printed, whose numbers tell of hidden rows
AS $$
DECLARE
  candidate record;
  misjudged boolean;
  analysed integer := 0;
BEGIN
  FOR candidate IN
    SELECT c.relname, c.reltuples,
           (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
              FROM pg_catalog.pg_attribute AS a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
               AND (a.atttypid IN ('integer'::regtype, 'bigint'::regtype)
                    OR a.attcollation = '"C"'::regcollation)) AS columns,
           (NOT key.seen
            OR size.pages > 5 * c.relpages
            OR (key.unknown
                AND (SELECT sum(s.chunk_count) FROM ragspine.corpus_stat AS s
                      WHERE s.tenant_no = $1 AND s.version_no = $2 AND s.acl_class_no > 0) > c.reltuples / 3000)) AS stale,
           size.pages > c.relpages + greatest(16, c.relpages / 50) AND key.expected < 100 AS doubtful,
           CASE WHEN key.of_version THEN ' AND version_no = $2' ELSE '' END AS and_version
      FROM pg_catalog.pg_class AS c
     CROSS JOIN LATERAL (SELECT pg_relation_size(c.oid) / current_setting('block_size')::integer AS pages) AS size
     CROSS JOIN LATERAL (
            SELECT bool_or(k.name = 'tenant_no' AND p.attname IS NOT NULL) AS seen,
                   bool_or(k.name = 'version_no' AND p.attname IS NOT NULL) AS of_version,
                   bool_or(m.place IS NULL AND m.common > 0.99) AS unknown,
                   -- The planner's own estimate of the rows of one value.
                   min(c.reltuples * coalesce(p.most_common_freqs[m.place],
                         (1 - m.common) / greatest(1, CASE WHEN p.n_distinct < 0 THEN - p.n_distinct * c.reltuples
                                                           ELSE p.n_distinct END - m.number))) AS expected
              FROM (VALUES ('tenant_no', $1), ('version_no', $2)) AS k(name, value)
              LEFT JOIN pg_catalog.pg_stats AS p
                ON p.schemaname = 'ragspine' AND p.tablename = c.relname AND p.attname = k.name
             CROSS JOIN LATERAL (
                    SELECT array_position(p.most_common_vals::text::integer[], k.value) AS place,
                           coalesce(sum(f.share), 0) AS common, count(f.share) AS number
                      FROM unnest(p.most_common_freqs) AS f(share)) AS m) AS key
     WHERE c.relnamespace = 'ragspine'::regnamespace
       AND c.relname IN ('acl_class', 'acl_reader', 'document', 'document_page', 'document_field', 'parent_window', 'chunk',
                         'chunk_lexical', 'chunk_embedding', 'lexeme', 'lexeme_stat', 'corpus_stat')
       AND size.pages >= 16
     ORDER BY c.relname
  LOOP
    misjudged := candidate.stale;
    IF misjudged IS NOT TRUE AND candidate.doubtful THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM ragspine.%I WHERE tenant_no = $1%s OFFSET $3)',
                     candidate.relname, candidate.and_version)
         INTO misjudged USING $1, $2, greatest(999, candidate.reltuples / 1500)::bigint;
    END IF;
    IF misjudged THEN
      EXECUTE format('ANALYZE (SKIP_LOCKED) ragspine.%I (%s)', candidate.relname, candidate.columns);
      analysed := analysed + 1;
    END IF;
  END LOOP;
  RETURN analysed;
END
$$;

COMMENT ON FUNCTION ragspine.refresh_planner_v1(integer, integer) IS 'Planner statistics where the planner would plan blindly.';
