-- Documents without a chunk in a version that are not pending there either, or that are pending in the published version.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row such a document, at most ten: where, in how many versions.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
  JOIN ragspine.index_version AS v ON v.tenant_no = d.tenant_no AND v.library_no = d.library_no
 CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT
                         FROM ragspine.pending_document AS p
                        WHERE p.tenant_no = v.tenant_no AND p.version_no = v.version_no AND p.document_no = d.document_no),
               EXISTS (SELECT
                         FROM ragspine.chunk AS c
                        WHERE c.tenant_no = v.tenant_no AND c.version_no = v.version_no AND c.document_no = d.document_no)
       ) AS has(mark, chunk)
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND CASE WHEN v.state = 'published' THEN has.mark OR NOT has.chunk ELSE NOT has.mark AND NOT has.chunk END
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
