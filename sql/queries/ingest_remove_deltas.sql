-- Collects how statistics change by the stored chunks of planned documents: out of the old class where they are rewritten,
-- from the old class to the new one where only their rights change. In every version that holds chunks of them, or in one;
-- as each counts them (see ingest_add_deltas).
--
-- params: tenant_no, version_no (of one version alone; null: of every version)
WITH moved AS (
  SELECT c.version_no, c.chunk_no, c.acl_class_no AS old_acl_class_no,
         CASE WHEN p.rewrite THEN NULL ELSE p.acl_class_no END AS acl_class_no
    FROM pg_temp.ragspine_stage_plan AS p
    JOIN ragspine.chunk AS c ON c.tenant_no = %(tenant_no)s AND c.document_no = p.document_no
   WHERE p.existed AND (p.rewrite OR p.old_acl_class_no <> p.acl_class_no)
     AND (%(version_no)s::integer IS NULL OR c.version_no = %(version_no)s)
), class AS MATERIALIZED (
  SELECT m.version_no, m.acl_class_no, ragspine.counted_class_v1(k.statistics, m.acl_class_no, k.sensitivity) AS counted_class_no
    FROM (SELECT o.version_no, o.old_acl_class_no AS acl_class_no FROM moved AS o
           UNION
          SELECT n.version_no, n.acl_class_no FROM moved AS n WHERE n.acl_class_no IS NOT NULL) AS m
   CROSS JOIN LATERAL (
          SELECT v.statistics, k.sensitivity
            FROM ragspine.index_version AS v
           CROSS JOIN ragspine.acl_class AS k
           WHERE v.tenant_no = %(tenant_no)s AND v.version_no = m.version_no
             AND k.tenant_no = %(tenant_no)s AND k.acl_class_no = m.acl_class_no
          OFFSET 0) AS k
), indexed AS MATERIALIZED (
  SELECT m.version_no, m.old_acl_class_no, m.acl_class_no, l.length, l.impacts
    FROM moved AS m
   CROSS JOIN LATERAL (
          SELECT x.length, x.impacts
            FROM ragspine.chunk_lexical AS x
           WHERE x.tenant_no = %(tenant_no)s AND x.version_no = m.version_no AND x.acl_class_no = m.old_acl_class_no
             AND x.chunk_no = m.chunk_no
          OFFSET 0) AS l
), counted AS MATERIALIZED (
  SELECT i.version_no, i.old_acl_class_no, i.acl_class_no, 0 AS lexeme_no, count(*) AS chunk_count,
         sum(i.length) AS total_length
    FROM indexed AS i
   GROUP BY i.version_no, i.old_acl_class_no, i.acl_class_no
   UNION ALL
  SELECT i.version_no, i.old_acl_class_no, i.acl_class_no, n.lexeme_no, count(*), 0
    FROM indexed AS i
   CROSS JOIN LATERAL ragspine.list_lexemes_v1(i.impacts) AS n
   GROUP BY i.version_no, i.old_acl_class_no, i.acl_class_no, n.lexeme_no
), change (version_no, acl_class_no, lexeme_no, chunk_count, total_length) AS (
  SELECT c.version_no, c.old_acl_class_no, c.lexeme_no, - c.chunk_count, - c.total_length
    FROM counted AS c
   UNION ALL
  SELECT c.version_no, c.acl_class_no, c.lexeme_no, c.chunk_count, c.total_length
    FROM counted AS c
   WHERE c.acl_class_no IS NOT NULL
)
INSERT INTO pg_temp.ragspine_stage_delta (version_no, acl_class_no, lexeme_no, chunk_count, total_length)
SELECT c.version_no, n.acl_class_no, c.lexeme_no, c.chunk_count, c.total_length
  FROM change AS c
  JOIN class AS k ON k.version_no = c.version_no AND k.acl_class_no = c.acl_class_no
 CROSS JOIN LATERAL (VALUES (CASE WHEN c.lexeme_no = 0 THEN c.acl_class_no ELSE k.counted_class_no END),
                            (CASE WHEN c.lexeme_no = 0 AND k.counted_class_no = 0 THEN 0 END)) AS n(acl_class_no)
 WHERE n.acl_class_no IS NOT NULL
