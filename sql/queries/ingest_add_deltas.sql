-- Collects how the statistics of the version change by the new chunks: of the corpus by class, and under 0 what the version
-- counts there (counted_class_v1); of words where it counts them.
--
-- params: tenant_no, version_no
WITH class AS MATERIALIZED (
  SELECT p.acl_class_no, ragspine.counted_class_v1(v.statistics, p.acl_class_no, k.sensitivity) AS counted_class_no
    FROM (SELECT DISTINCT s.acl_class_no FROM pg_temp.ragspine_stage_plan AS s WHERE s.rewrite) AS p
   CROSS JOIN LATERAL (
          SELECT k.sensitivity
            FROM ragspine.acl_class AS k
           WHERE k.tenant_no = %(tenant_no)s AND k.acl_class_no = p.acl_class_no
          OFFSET 0) AS k
    JOIN ragspine.index_version AS v ON v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s
)
INSERT INTO pg_temp.ragspine_stage_delta (version_no, acl_class_no, lexeme_no, chunk_count, total_length)
SELECT %(version_no)s, k.counted_class_no, w.lexeme_no, sum(c.chunk_count), 0
  FROM pg_temp.ragspine_stage_count AS c
  JOIN class AS k ON k.acl_class_no = c.acl_class_no
  JOIN pg_temp.ragspine_stage_word AS w ON w.lexeme = c.lexeme
 WHERE k.counted_class_no IS NOT NULL
 GROUP BY k.counted_class_no, w.lexeme_no
 UNION ALL
SELECT %(version_no)s, n.acl_class_no, 0, sum(a.chunk_count), sum(a.total_length)
  FROM (SELECT p.acl_class_no, count(*) AS chunk_count, sum(a.length) AS total_length
          FROM pg_temp.ragspine_stage_analysis AS a
          JOIN pg_temp.ragspine_stage_plan AS p ON p.document_seq = a.document_seq
         WHERE p.rewrite
         GROUP BY p.acl_class_no) AS a
  JOIN class AS k ON k.acl_class_no = a.acl_class_no
 CROSS JOIN LATERAL (VALUES (a.acl_class_no), (CASE WHEN k.counted_class_no = 0 THEN 0 END)) AS n(acl_class_no)
 WHERE n.acl_class_no IS NOT NULL
 GROUP BY n.acl_class_no
