-- Chunks without a vector that their version embeds, and vectors of text that it must not.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a document that has some, at most ten: where, how many.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
  JOIN ragspine.acl_class AS a ON a.tenant_no = d.tenant_no AND a.acl_class_no = d.acl_class_no
  JOIN ragspine.chunk AS c ON c.tenant_no = d.tenant_no AND c.document_no = d.document_no
  JOIN ragspine.index_version AS v ON v.tenant_no = c.tenant_no AND v.version_no = c.version_no
  LEFT JOIN ragspine.chunk_embedding AS e
    ON e.tenant_no = c.tenant_no AND e.version_no = c.version_no AND e.acl_class_no = c.acl_class_no
   AND e.document_no = c.document_no AND e.chunk_no = c.chunk_no
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND CASE WHEN e.chunk_no IS NOT NULL THEN NOT ragspine.embeds_v1(v.profile, a.sensitivity)
            ELSE ragspine.embeds_v1(v.profile, a.sensitivity) AND (d.title ~ '\S' OR c.text ~ '\S')
                 AND NOT EXISTS (SELECT
                                   FROM ragspine.pending_document AS p
                                  WHERE p.tenant_no = v.tenant_no AND p.version_no = v.version_no
                                    AND p.document_no = d.document_no) END
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
