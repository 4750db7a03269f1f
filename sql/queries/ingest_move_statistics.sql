-- Moves a document's share of the statistics from one class to another, in every version that holds chunks of it: how many
-- of its chunks hold which lexeme, how many there are, and how long.
--
-- A version that counts words over the whole library has them under 0, and what is not RESTRICTED; chunks and lengths are
-- under the class there as well (see counted_class_v1). Where a number stays what it is, nothing is written.
-- Each chunk is looked up by its key (OFFSET 0): for a tenant that the planner does not know, a join reads all its chunks.
--
-- params: tenant_no, document_no, batch_no, old_acl_class_no, acl_class_no (NULL: the document is being deleted)
-- Returns one row: the number of chunks, over all versions.
WITH held AS MATERIALIZED (
  SELECT c.version_no, l.length, l.impacts
    FROM ragspine.chunk AS c
   CROSS JOIN LATERAL (
          SELECT x.length, x.impacts
            FROM ragspine.chunk_lexical AS x
           WHERE x.tenant_no = c.tenant_no AND x.version_no = c.version_no AND x.acl_class_no = c.acl_class_no
             AND x.chunk_no = c.chunk_no
          OFFSET 0) AS l
   WHERE c.tenant_no = %(tenant_no)s AND c.document_no = %(document_no)s
), extent AS MATERIALIZED (
  SELECT h.version_no, count(*) AS chunk_count, sum(h.length) AS total_length
    FROM held AS h
   GROUP BY h.version_no
), word AS (
  SELECT h.version_no, n.lexeme_no, count(*) AS chunk_count
    FROM held AS h
   CROSS JOIN LATERAL ragspine.list_lexemes_v1(h.impacts) AS n
   GROUP BY h.version_no, n.lexeme_no
), side AS MATERIALIZED (
  -- Where each version counts it less, and where more; and whether it counts words there.
  SELECT e.version_no, n.acl_class_no, n.acl_class_no IS NOT DISTINCT FROM k.counted_class_no AS of_words, sum(s.sign) AS sign
    FROM extent AS e
   CROSS JOIN (VALUES (%(old_acl_class_no)s::integer, -1), (%(acl_class_no)s::integer, 1)) AS s(acl_class_no, sign)
   CROSS JOIN LATERAL (
          SELECT ragspine.counted_class_v1(v.statistics, k.acl_class_no, k.sensitivity) AS counted_class_no
            FROM ragspine.index_version AS v
           CROSS JOIN ragspine.acl_class AS k
           WHERE v.tenant_no = %(tenant_no)s AND v.version_no = e.version_no
             AND k.tenant_no = %(tenant_no)s AND k.acl_class_no = s.acl_class_no
          OFFSET 0) AS k
   CROSS JOIN LATERAL (VALUES (s.acl_class_no), (CASE WHEN k.counted_class_no = 0 THEN 0 END)) AS n(acl_class_no)
   WHERE n.acl_class_no IS NOT NULL
   GROUP BY 1, 2, 3
  HAVING sum(s.sign) <> 0
), moved_words AS (
  INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
  SELECT %(tenant_no)s, w.version_no, w.lexeme_no, s.acl_class_no, %(batch_no)s, s.sign * w.chunk_count
    FROM word AS w
    JOIN side AS s ON s.version_no = w.version_no AND s.of_words
), moved_extent AS (
  INSERT INTO ragspine.corpus_stat (tenant_no, version_no, acl_class_no, batch_no, chunk_count, total_length)
  SELECT %(tenant_no)s, e.version_no, s.acl_class_no, %(batch_no)s, s.sign * e.chunk_count, s.sign * e.total_length
    FROM extent AS e
    JOIN side AS s ON s.version_no = e.version_no
)
SELECT coalesce(sum(e.chunk_count), 0)::bigint FROM extent AS e
