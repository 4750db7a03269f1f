-- Some chunks of a version that have a vector, as good as by chance: those with the lowest ids, which are hashes.
--
-- params: tenant_no, version_no, number
-- Returns one row a chunk: chunk_no, document_id, title, text.
SELECT c.chunk_no, d.document_id, d.title, c.text
  FROM ragspine.chunk AS c
  JOIN ragspine.document AS d ON d.tenant_no = c.tenant_no AND d.document_no = c.document_no
 WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s
   AND EXISTS (SELECT
                 FROM ragspine.chunk_embedding AS e
                WHERE e.tenant_no = c.tenant_no AND e.version_no = c.version_no AND e.acl_class_no = c.acl_class_no
                  AND e.document_no = c.document_no AND e.chunk_no = c.chunk_no)
 ORDER BY c.chunk_id
 LIMIT %(number)s
