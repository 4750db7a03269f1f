-- Writes the parent windows of new and rewritten documents, each once.
--
-- params: tenant_no, version_no, first_seq, after_seq (chunk_seq from the first to before the second)
INSERT INTO ragspine.parent_window
       (tenant_no, version_no, document_no, document_length, acl_class_no, span_start, span_end, slice_sha256)
SELECT %(tenant_no)s, %(version_no)s, w.document_no, w.text_length, w.acl_class_no, w.window_start, w.window_end,
       w.window_sha256
  FROM (SELECT DISTINCT ON (p.document_no, c.window_start, c.window_end)
               p.document_no, s.text_length, p.acl_class_no, c.window_start, c.window_end, c.window_sha256
          FROM pg_temp.ragspine_stage_chunk AS c
          JOIN pg_temp.ragspine_stage_plan AS p ON p.document_seq = c.document_seq
          JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = c.document_seq
         WHERE c.chunk_seq >= %(first_seq)s AND c.chunk_seq < %(after_seq)s AND p.rewrite AND c.window_start IS NOT NULL
         ORDER BY p.document_no, c.window_start, c.window_end, c.chunk_seq) AS w
ON CONFLICT (tenant_no, version_no, document_no, span_start, span_end) DO NOTHING
