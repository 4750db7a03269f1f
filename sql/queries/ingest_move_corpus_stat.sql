-- Moves a document's chunks and their length from one class to another, in every version that holds chunks of it; where the
-- version counts what is not RESTRICTED under 0, also there (see ingest_move_lexeme_stat).
--
-- Each chunk is looked up by its key (OFFSET 0): for a tenant that the planner does not know, a join reads all its chunks.
--
-- params: tenant_no, document_no, batch_no, old_acl_class_no, acl_class_no (NULL: the document is being deleted)
-- Returns one row: the number of chunks, over all versions.
WITH counted AS MATERIALIZED (
  SELECT c.version_no, count(*) AS chunk_count, sum(l.length) AS total_length
    FROM ragspine.chunk AS c
   CROSS JOIN LATERAL (
          SELECT x.length
            FROM ragspine.chunk_lexical AS x
           WHERE x.tenant_no = c.tenant_no AND x.version_no = c.version_no AND x.acl_class_no = c.acl_class_no
             AND x.chunk_no = c.chunk_no
          OFFSET 0) AS l
   WHERE c.tenant_no = %(tenant_no)s AND c.document_no = %(document_no)s
   GROUP BY c.version_no
), side AS (
  SELECT c.version_no, n.acl_class_no, sum(s.sign) AS sign
    FROM counted AS c
   CROSS JOIN (VALUES (%(old_acl_class_no)s::integer, -1), (%(acl_class_no)s::integer, 1)) AS s(acl_class_no, sign)
   CROSS JOIN LATERAL (
          SELECT ragspine.counted_class_v1(v.statistics, k.acl_class_no, k.sensitivity) AS counted_class_no
            FROM ragspine.index_version AS v
           CROSS JOIN ragspine.acl_class AS k
           WHERE v.tenant_no = %(tenant_no)s AND v.version_no = c.version_no
             AND k.tenant_no = %(tenant_no)s AND k.acl_class_no = s.acl_class_no
          OFFSET 0) AS k
   CROSS JOIN LATERAL (VALUES (s.acl_class_no), (CASE WHEN k.counted_class_no = 0 THEN 0 END)) AS n(acl_class_no)
   WHERE n.acl_class_no IS NOT NULL
   GROUP BY c.version_no, n.acl_class_no
  HAVING sum(s.sign) <> 0
), moved AS (
  INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
  SELECT %(tenant_no)s, c.version_no, s.acl_class_no, %(batch_no)s, s.sign * c.chunk_count, s.sign * c.total_length
    FROM counted AS c
    JOIN side AS s ON s.version_no = c.version_no
)
SELECT coalesce(sum(c.chunk_count), 0)::bigint FROM counted AS c
