-- Writes the pages of new and rewritten documents.
--
-- params: tenant_no, first_seq, after_seq (document_seq from the first to before the second)
INSERT INTO ragspine.document_page (tenant_no, document_no, page_no, acl_class_no, text)
SELECT %(tenant_no)s, p.document_no, g.page_no, p.acl_class_no, g.text
  FROM pg_temp.ragspine_stage_plan AS p
  JOIN pg_temp.ragspine_stage_page AS g ON g.document_seq = p.document_seq
 WHERE p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s AND p.rewrite
   AND g.document_seq >= %(first_seq)s AND g.document_seq < %(after_seq)s
