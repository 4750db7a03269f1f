-- Deletes the stored parent windows of the documents that are rewritten, in every version; their chunks are gone by now.
--
-- params: tenant_no
DELETE FROM ragspine.parent_window AS w
 USING pg_temp.ragspine_stage_plan AS p
 WHERE p.existed AND p.rewrite AND w.tenant_no = %(tenant_no)s AND w.document_no = p.document_no
