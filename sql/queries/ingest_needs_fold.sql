-- Whether some statistic that this call appended to has become a sum of more rows than a limit.
--
-- Looks at the 1,000 it changed most: what is in nearly every call has the most rows.
--
-- params: tenant_no, limit
-- Returns one row: a boolean.
SELECT EXISTS (
  SELECT
    FROM (SELECT d.version_no, d.acl_class_no, d.lexeme_no
            FROM pg_temp.ragspine_stage_delta AS d
           GROUP BY d.version_no, d.acl_class_no, d.lexeme_no
           ORDER BY sum(abs(d.chunk_count)) DESC
           LIMIT 1000) AS t
   CROSS JOIN LATERAL (
          SELECT CASE WHEN t.lexeme_no = 0
                   THEN (SELECT count(*)
                           FROM ragspine.corpus_stat AS c
                          WHERE c.tenant_no = %(tenant_no)s AND c.version_no = t.version_no
                            AND c.acl_class_no = t.acl_class_no)
                   ELSE (SELECT count(*)
                           FROM ragspine.lexeme_stat AS s
                          WHERE s.tenant_no = %(tenant_no)s AND s.version_no = t.version_no
                            AND s.lexeme_no = t.lexeme_no AND s.acl_class_no = t.acl_class_no)
                 END AS rows
          OFFSET 0) AS n
   WHERE n.rows > %(limit)s)
