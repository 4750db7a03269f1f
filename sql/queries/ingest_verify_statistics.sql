-- Recounts the statistics of the classes this call touched, in the versions it touched, where that is little work. Class 0 are
-- all that are not RESTRICTED, of a version that counts them so (counted_class_v1).
--
-- params: tenant_no, limit (a class with more chunks than that is not recounted)
-- Returns one row: how many sums differ from the recount.
WITH touched AS (
  SELECT DISTINCT d.version_no, d.acl_class_no FROM pg_temp.ragspine_stage_delta AS d
), small AS MATERIALIZED (
  SELECT t.version_no, t.acl_class_no, n.chunk_count, n.total_length
    FROM touched AS t
   CROSS JOIN LATERAL (
          SELECT sum(c.chunk_count) AS chunk_count, sum(c.total_length) AS total_length
            FROM ragspine.corpus_stat AS c
           WHERE c.tenant_no = %(tenant_no)s AND c.version_no = t.version_no AND c.acl_class_no = t.acl_class_no
          OFFSET 0) AS n
   WHERE coalesce(n.chunk_count, 0) <= %(limit)s
), member AS (
  SELECT s.version_no, s.acl_class_no, s.acl_class_no AS member_class_no
    FROM small AS s
   WHERE s.acl_class_no > 0
   UNION ALL
  SELECT s.version_no, 0, o.acl_class_no
    FROM small AS s
   CROSS JOIN LATERAL (
          SELECT DISTINCT c.acl_class_no
            FROM ragspine.corpus_stat AS c
           WHERE c.tenant_no = %(tenant_no)s AND c.version_no = s.version_no AND c.acl_class_no > 0
          OFFSET 0) AS o
   CROSS JOIN LATERAL (
          SELECT
            FROM ragspine.acl_class AS k
           WHERE k.tenant_no = %(tenant_no)s AND k.acl_class_no = o.acl_class_no AND k.sensitivity <> 'RESTRICTED'
          OFFSET 0) AS k
   WHERE s.acl_class_no = 0
), counted AS MATERIALIZED (
  SELECT s.version_no, s.acl_class_no, l.length, l.impacts
    FROM member AS s
   CROSS JOIN LATERAL (
          SELECT x.length, x.impacts
            FROM ragspine.chunk_lexical AS x
           WHERE x.tenant_no = %(tenant_no)s AND x.version_no = s.version_no AND x.acl_class_no = s.member_class_no
          OFFSET 0) AS l
), word AS (
  SELECT DISTINCT d.version_no, d.acl_class_no, d.lexeme_no
    FROM pg_temp.ragspine_stage_delta AS d
   WHERE d.lexeme_no > 0
), recounted AS (
  SELECT c.version_no, c.acl_class_no, n.lexeme_no, count(*) AS chunk_count
    FROM counted AS c
   CROSS JOIN LATERAL ragspine.list_lexemes_v1(c.impacts) AS n
   GROUP BY c.version_no, c.acl_class_no, n.lexeme_no
)
SELECT (SELECT count(*)
          FROM small AS s
          LEFT JOIN (SELECT c.version_no, c.acl_class_no, count(*) AS chunk_count, sum(c.length) AS total_length
                       FROM counted AS c
                      GROUP BY c.version_no, c.acl_class_no) AS r
            ON r.version_no = s.version_no AND r.acl_class_no = s.acl_class_no
         WHERE (coalesce(s.chunk_count, 0), coalesce(s.total_length, 0))
               IS DISTINCT FROM (coalesce(r.chunk_count, 0), coalesce(r.total_length, 0)))
     + (SELECT count(*)
          FROM word AS w
          JOIN small AS s ON s.version_no = w.version_no AND s.acl_class_no = w.acl_class_no
         CROSS JOIN LATERAL (
                SELECT coalesce(sum(x.chunk_count), 0) AS chunk_count
                  FROM ragspine.lexeme_stat AS x
                 WHERE x.tenant_no = %(tenant_no)s AND x.version_no = w.version_no AND x.lexeme_no = w.lexeme_no
                   AND x.acl_class_no = w.acl_class_no
                OFFSET 0) AS k
          LEFT JOIN recounted AS r
            ON r.version_no = w.version_no AND r.acl_class_no = w.acl_class_no AND r.lexeme_no = w.lexeme_no
         WHERE k.chunk_count <> coalesce(r.chunk_count, 0))
