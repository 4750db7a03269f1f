-- Rows of statistics that change nothing.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a version that has some: where, how many.
SELECT 'version ' || v.version, count(*)
  FROM ragspine.index_version AS v
 CROSS JOIN LATERAL (
        SELECT
          FROM ragspine.corpus_stat AS c
         WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no AND c.chunk_count = 0 AND c.total_length = 0
         UNION ALL
        SELECT
          FROM ragspine.lexeme_stat AS s
         WHERE s.tenant_no = v.tenant_no AND s.version_no = v.version_no AND s.chunk_count = 0) AS wrong
 WHERE v.tenant_no = %(tenant_no)s AND v.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
 GROUP BY v.version
 ORDER BY v.version
