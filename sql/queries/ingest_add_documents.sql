-- Adds new documents, and notes their numbers in the plan.
--
-- The range is said of every stage table: the planner does not carry it over a join.
--
-- params: tenant_no, library_no, first_seq, after_seq (document_seq from the first to before the second)
WITH added AS (
  INSERT INTO ragspine.document
         (tenant_no, library_no, acl_class_no, document_id, source_uri, title, language, metadata, text_length, content_sha256)
  SELECT %(tenant_no)s, %(library_no)s, p.acl_class_no, s.document_id, s.source_uri, s.title, s.language, s.metadata,
         s.text_length, s.content_sha256
    FROM pg_temp.ragspine_stage_plan AS p
    JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = p.document_seq
   WHERE p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s AND NOT p.existed
     AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   ORDER BY p.document_seq
  RETURNING document_no, document_id
)
UPDATE pg_temp.ragspine_stage_plan AS p
   SET document_no = a.document_no
  FROM added AS a
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_id = a.document_id
 WHERE p.document_seq = s.document_seq
   AND p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s
   AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
