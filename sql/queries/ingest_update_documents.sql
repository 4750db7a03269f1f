-- Updates stored documents that are rewritten or touched. A changed class or length cascades to what lies below them.
--
-- The array bounds what is read of the documents, whatever order of joins the planner takes.
--
-- params: tenant_no, first_seq, after_seq (document_seq from the first to before the second)
UPDATE ragspine.document AS d
   SET acl_class_no = p.acl_class_no,
       source_uri = s.source_uri,
       title = s.title,
       language = s.language,
       metadata = s.metadata,
       text_length = s.text_length,
       content_sha256 = s.content_sha256,
       updated_at = now()
  FROM pg_temp.ragspine_stage_plan AS p
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_seq = p.document_seq
 WHERE p.existed AND (p.rewrite OR p.touch) AND d.tenant_no = %(tenant_no)s AND d.document_no = p.document_no
   AND p.document_seq >= %(first_seq)s AND p.document_seq < %(after_seq)s
   AND s.document_seq >= %(first_seq)s AND s.document_seq < %(after_seq)s
   AND d.document_no = ANY (
         ARRAY(SELECT x.document_no FROM pg_temp.ragspine_stage_plan AS x
                WHERE x.document_seq >= %(first_seq)s AND x.document_seq < %(after_seq)s AND x.existed
                  AND (x.rewrite OR x.touch)))
