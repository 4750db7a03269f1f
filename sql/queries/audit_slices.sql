-- Chunks whose text is not what stands at their span.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a document that has some, at most ten: where, how many.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
  JOIN ragspine.chunk AS c ON c.tenant_no = d.tenant_no AND c.document_no = d.document_no
  JOIN ragspine.index_version AS v ON v.tenant_no = c.tenant_no AND v.version_no = c.version_no
 CROSS JOIN LATERAL (
        SELECT substr(coalesce(string_agg(g.text, '' ORDER BY g.page_no), ''), c.span_start %% 8192 + 1,
                      c.span_end - c.span_start) AS text
          FROM ragspine.document_page AS g
         WHERE g.tenant_no = d.tenant_no AND g.document_no = d.document_no
           AND g.page_no BETWEEN c.span_start / 8192 AND (c.span_end - 1) / 8192) AS cut
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND (c.text <> cut.text OR c.slice_sha256 <> encode(sha256(convert_to(cut.text, 'UTF8')), 'hex'))
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
