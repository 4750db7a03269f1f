-- Chunks without a lexical row of their class (the other way round a foreign key forbids).
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a document that has some, at most ten: where, how many.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
  JOIN ragspine.chunk AS c ON c.tenant_no = d.tenant_no AND c.document_no = d.document_no
  JOIN ragspine.index_version AS v ON v.tenant_no = c.tenant_no AND v.version_no = c.version_no
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND NOT EXISTS (
         SELECT
           FROM ragspine.chunk_lexical AS l
          WHERE l.tenant_no = c.tenant_no AND l.version_no = c.version_no AND l.acl_class_no = d.acl_class_no
            AND l.chunk_no = c.chunk_no AND l.document_no = c.document_no)
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
