-- Deletes the field keys of stored documents that are rewritten or touched.
--
-- params: tenant_no
DELETE FROM ragspine.document_field AS f
 WHERE f.tenant_no = %(tenant_no)s
   AND f.document_no = ANY (
         ARRAY(SELECT p.document_no FROM pg_temp.ragspine_stage_plan AS p WHERE p.existed AND (p.rewrite OR p.touch)))
