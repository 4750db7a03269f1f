-- Deletes the field keys of stored documents that are rewritten or touched.
--
-- params: tenant_no
DELETE FROM ragspine.document_field AS f
 USING pg_temp.ragspine_stage_plan AS p
 WHERE p.existed AND (p.rewrite OR p.touch) AND f.tenant_no = %(tenant_no)s AND f.document_no = p.document_no
