-- Whether a version lacks a document.
--
-- params: tenant_no, version_no
SELECT EXISTS (SELECT
                 FROM ragspine.pending_document AS p
                WHERE p.tenant_no = %(tenant_no)s AND p.version_no = %(version_no)s)
