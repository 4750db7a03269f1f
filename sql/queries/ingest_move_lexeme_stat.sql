-- Moves a document's share of the document frequencies from one class to another, in every version that holds chunks of it.
--
-- Each chunk is looked up by its key (OFFSET 0): for a tenant that the planner does not know, a join reads all its chunks.
--
-- params: tenant_no, document_no, batch_no, old_acl_class_no, acl_class_no (NULL: the document is being deleted)
WITH counted AS (
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
)
INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
SELECT %(tenant_no)s, c.version_no, c.lexeme_no, side.acl_class_no, %(batch_no)s, side.sign * c.chunk_count
  FROM counted AS c
 CROSS JOIN (VALUES (%(old_acl_class_no)s::integer, -1), (%(acl_class_no)s::integer, 1)) AS side(acl_class_no, sign)
 WHERE side.acl_class_no IS NOT NULL
