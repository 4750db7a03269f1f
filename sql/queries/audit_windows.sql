-- Parent windows whose hash is not that of what stands at their span, or that no chunk lies in.
--
-- params: tenant_no, library_no, version_no (null: every live version)
-- Returns one row a document that has some, at most ten: where, how many.
SELECT 'document ' || d.document_id, count(*)
  FROM ragspine.document AS d
  JOIN ragspine.parent_window AS w ON w.tenant_no = d.tenant_no AND w.document_no = d.document_no
  JOIN ragspine.index_version AS v ON v.tenant_no = w.tenant_no AND v.version_no = w.version_no
 CROSS JOIN LATERAL (
        SELECT substr(coalesce(string_agg(g.text, '' ORDER BY g.page_no), ''), w.span_start %% 8192 + 1,
                      w.span_end - w.span_start) AS text
          FROM ragspine.document_page AS g
         WHERE g.tenant_no = d.tenant_no AND g.document_no = d.document_no
           AND g.page_no BETWEEN w.span_start / 8192 AND (w.span_end - 1) / 8192) AS cut
 WHERE d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s
   AND CASE WHEN %(version_no)s::integer IS NULL THEN v.state IN ('building', 'verified', 'published', 'retired')
            ELSE v.version_no = %(version_no)s END
   AND (w.slice_sha256 <> encode(sha256(convert_to(cut.text, 'UTF8')), 'hex')
        OR NOT EXISTS (
             SELECT
               FROM ragspine.chunk AS c
              WHERE c.tenant_no = w.tenant_no AND c.version_no = w.version_no AND c.document_no = w.document_no
                AND c.window_no = w.window_no AND c.span_start >= w.span_start AND c.span_end <= w.span_end))
 GROUP BY d.document_id
 ORDER BY d.document_id
 LIMIT 10
