-- Decides under the locks which of the documents that were read go into the version: those that are still what was read, in
-- text, language and rights. The others stay pending.
--
-- params: tenant_no, document_nos, acl_class_nos (parallel arrays, as they were read)
INSERT INTO pg_temp.ragspine_stage_plan (document_seq, document_no, old_acl_class_no, acl_class_no, existed, rewrite, touch)
SELECT s.document_seq, r.document_no, d.acl_class_no, d.acl_class_no, true, NOT s.unchanged, false
  FROM unnest(%(document_nos)s::bigint[], %(acl_class_nos)s::integer[]) AS r(document_no, acl_class_no)
 CROSS JOIN LATERAL (
        SELECT x.acl_class_no, x.document_id, x.content_sha256, x.language
          FROM ragspine.document AS x
         WHERE x.tenant_no = %(tenant_no)s AND x.document_no = r.document_no
        OFFSET 0) AS d
  JOIN pg_temp.ragspine_stage_document AS s ON s.document_id = d.document_id
 WHERE d.acl_class_no = r.acl_class_no AND d.content_sha256 = s.content_sha256
   AND d.language IS NOT DISTINCT FROM s.language
