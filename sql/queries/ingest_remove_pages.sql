-- Deletes the stored pages of the documents that are rewritten.
--
-- params: tenant_no
DELETE FROM ragspine.document_page AS g
 WHERE g.tenant_no = %(tenant_no)s
   AND g.document_no = ANY (
         ARRAY(SELECT p.document_no FROM pg_temp.ragspine_stage_plan AS p WHERE p.existed AND p.rewrite))
