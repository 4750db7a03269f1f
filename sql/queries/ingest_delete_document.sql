-- Deletes a document; foreign keys take everything below it away.
--
-- params: tenant_no, document_no
DELETE FROM ragspine.document AS d
 WHERE d.tenant_no = %(tenant_no)s AND d.document_no = %(document_no)s
