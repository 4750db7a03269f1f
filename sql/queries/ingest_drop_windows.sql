-- Deletes the parent windows of documents in one version; their chunks are gone by now.
--
-- params: tenant_no, version_no, document_nos
DELETE FROM ragspine.parent_window AS w
 WHERE w.tenant_no = %(tenant_no)s AND w.version_no = %(version_no)s AND w.document_no = ANY (%(document_nos)s::bigint[])
