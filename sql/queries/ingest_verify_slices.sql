-- Cuts every new chunk and window out of the stored pages again and compares.
--
-- A chunk's text matches its own hash by a constraint of the table; here it is compared with the document.
--
-- params: tenant_no, version_no, first_seq, after_seq (document_seq from the first to before the second)
-- Returns the ids of at most ten documents with a slice that is not its span.
SELECT DISTINCT s.document_id
  FROM pg_temp.ragspine_stage_plan AS p
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = p.document_seq
 CROSS JOIN LATERAL (
        SELECT c.span_start, c.span_end, c.text, NULL AS slice_sha256
          FROM ragspine.chunk AS c
         WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no = p.document_no
         UNION ALL
        SELECT w.span_start, w.span_end, NULL, w.slice_sha256
          FROM ragspine.parent_window AS w
         WHERE w.tenant_no = %(tenant_no)s AND w.version_no = %(version_no)s AND w.document_no = p.document_no
        OFFSET 0) AS c
 CROSS JOIN LATERAL (
        SELECT substr(coalesce(string_agg(g.text, '' ORDER BY g.page_no), ''), c.span_start %% 8192 + 1,
                      c.span_end - c.span_start) AS text
          FROM ragspine.document_page AS g
         WHERE g.tenant_no = %(tenant_no)s AND g.document_no = p.document_no
           AND g.page_no BETWEEN c.span_start / 8192 AND (c.span_end - 1) / 8192
        OFFSET 0) AS cut
 WHERE p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s AND p.rewrite
   AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   AND (c.text <> cut.text OR c.slice_sha256 <> encode(sha256(convert_to(cut.text, 'UTF8')), 'hex'))
 LIMIT 10
