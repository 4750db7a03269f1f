-- Deletes the stored parent windows of the documents that are rewritten, in every version or
-- in one; their chunks are gone by now.
--
-- params: tenant_no, version_no (null: every version)
DELETE FROM ragspine.parent_window AS w
 WHERE w.tenant_no = %(tenant_no)s AND (%(version_no)s::integer IS NULL OR w.version_no = %(version_no)s)
   AND w.document_no = ANY (
         ARRAY(SELECT p.document_no FROM pg_temp.ragspine_stage_plan AS p WHERE p.existed AND p.rewrite))
