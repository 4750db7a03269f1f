-- Decides under the locks what is done with each staged document.
--
-- Metadata is compared as written: 1.0 and 1 are equal as jsonb.
--
-- params: tenant_no, library_no
INSERT INTO pg_temp.ragspine_stage_plan (document_seq, document_no, old_acl_class_no, acl_class_no, existed, rewrite, touch)
SELECT s.document_seq, d.document_no, d.acl_class_no, k.acl_class_no, d.document_no IS NOT NULL, NOT s.unchanged,
       d.document_no IS NOT NULL
         AND (d.acl_class_no, d.source_uri, d.language, d.metadata::text)
             IS DISTINCT FROM (k.acl_class_no, s.source_uri, s.language, s.metadata::text)
  FROM pg_temp.ragspine_stage_document AS s
  LEFT JOIN ragspine.document AS d
    ON d.tenant_no = %(tenant_no)s AND d.library_no = %(library_no)s AND d.document_id = s.document_id
  JOIN ragspine.acl_class AS k
    ON k.tenant_no = %(tenant_no)s
   AND k.readers_sha256 = ragspine.readers_sha256_v1(s.readers, s.readers IS NULL)
   AND k.sensitivity = s.sensitivity
   AND k.open_to_members = (s.readers IS NULL)
