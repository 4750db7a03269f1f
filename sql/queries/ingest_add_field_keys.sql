-- Writes the field keys of new, rewritten and touched documents.
--
-- params: tenant_no, library_no, first_seq, after_seq (document_seq from the first to before the second)
INSERT INTO ragspine.document_field (tenant_no, field_no, key, document_no, acl_class_no)
SELECT DISTINCT %(tenant_no)s::integer, k.field_no, k.key, p.document_no, p.acl_class_no
  FROM pg_temp.ragspine_stage_plan AS p
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = p.document_seq
 CROSS JOIN LATERAL ragspine.document_field_keys_v1(s.metadata, %(tenant_no)s, %(library_no)s) AS k
 WHERE p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s AND (p.rewrite OR p.touch)
   AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
