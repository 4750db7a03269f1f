-- Moves a document's share of the document frequencies from one class to another, in every version that holds chunks of it.
--
-- Each chunk is looked up by its key (OFFSET 0): for a tenant that the planner does not know, a join reads all its chunks.
--
-- params: tenant_no, document_no, batch_no, old_acl_class_no, acl_class_no (NULL: the document is being deleted)
WITH counted AS MATERIALIZED (
  SELECT c.version_no, n.lexeme_no, count(*) AS chunk_count
    FROM ragspine.chunk AS c
   CROSS JOIN LATERAL (
          SELECT x.impacts
            FROM ragspine.chunk_lexical AS x
           WHERE x.tenant_no = c.tenant_no AND x.version_no = c.version_no AND x.acl_class_no = c.acl_class_no
             AND x.chunk_no = c.chunk_no
          OFFSET 0) AS l
   CROSS JOIN LATERAL ragspine.list_lexemes_v1(l.impacts) AS n
   WHERE c.tenant_no = %(tenant_no)s AND c.document_no = %(document_no)s
   GROUP BY c.version_no, n.lexeme_no
), side AS MATERIALIZED (
  -- Where each version counts it less, and where more. Where it stays what it is, nothing changes.
  SELECT c.version_no, k.counted_class_no, sum(s.sign) AS sign
    FROM (SELECT DISTINCT o.version_no FROM counted AS o) AS c
   CROSS JOIN (VALUES (%(old_acl_class_no)s::integer, -1), (%(acl_class_no)s::integer, 1)) AS s(acl_class_no, sign)
   CROSS JOIN LATERAL (
          SELECT ragspine.counted_class_v1(v.statistics, k.acl_class_no, k.sensitivity) AS counted_class_no
            FROM ragspine.index_version AS v
           CROSS JOIN ragspine.acl_class AS k
           WHERE v.tenant_no = %(tenant_no)s AND v.version_no = c.version_no
             AND k.tenant_no = %(tenant_no)s AND k.acl_class_no = s.acl_class_no
          OFFSET 0) AS k
   WHERE k.counted_class_no IS NOT NULL
   GROUP BY c.version_no, k.counted_class_no
  HAVING sum(s.sign) <> 0
)
INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
SELECT %(tenant_no)s, c.version_no, c.lexeme_no, s.counted_class_no, %(batch_no)s, s.sign * c.chunk_count
  FROM counted AS c
  JOIN side AS s ON s.version_no = c.version_no
