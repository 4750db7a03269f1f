-- Takes the marks of the planned documents away: the version has them now.
--
-- params: tenant_no, version_no
DELETE FROM ragspine.pending_document AS p
 WHERE p.tenant_no = %(tenant_no)s AND p.version_no = %(version_no)s
   AND p.document_no = ANY (ARRAY(SELECT x.document_no FROM pg_temp.ragspine_stage_plan AS x))
