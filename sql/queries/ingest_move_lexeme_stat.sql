-- Moves a document's share of the document frequencies from one class to another, in every version that holds chunks of it.
--
-- params: tenant_no, document_no, batch_no, old_acl_class_no, acl_class_no (NULL: the document is being deleted)
WITH counted AS (
  SELECT c.version_no, n.lexeme_no, count(*) AS chunk_count
    FROM ragspine.chunk AS c
    JOIN ragspine.chunk_lexical AS l
      ON l.tenant_no = c.tenant_no AND l.version_no = c.version_no AND l.acl_class_no = c.acl_class_no
     AND l.chunk_no = c.chunk_no
   CROSS JOIN LATERAL ragspine.list_lexemes_v1(l.impacts) AS n
   WHERE c.tenant_no = %(tenant_no)s AND c.document_no = %(document_no)s
   GROUP BY c.version_no, n.lexeme_no
)
INSERT INTO ragspine.lexeme_stat (tenant_no, version_no, lexeme_no, acl_class_no, batch_no, chunk_count)
SELECT %(tenant_no)s, c.version_no, c.lexeme_no, side.acl_class_no, %(batch_no)s, side.sign * c.chunk_count
  FROM counted AS c
 CROSS JOIN (VALUES (%(old_acl_class_no)s::integer, -1), (%(acl_class_no)s::integer, 1)) AS side(acl_class_no, sign)
 WHERE side.acl_class_no IS NOT NULL
