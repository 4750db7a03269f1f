-- Documents without a chunk in the published version: none can be found by any search.
--
-- params: tenant_no, library_no, version_no
-- Returns one row such a document, at most ten: where, 1.
SELECT 'document ' || d.document_id, 1
  FROM ragspine.document AS d
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND NOT EXISTS (SELECT FROM ragspine.chunk AS c
                    WHERE c.tenant_no = d.tenant_no AND c.version_no = %(version_no)s AND c.document_no = d.document_no)
 ORDER BY d.document_id
 LIMIT 10
