-- Deletes the chunks of documents in one version; foreign keys take their lexical rows and vectors away.
--
-- params: tenant_no, version_no, document_nos
DELETE FROM ragspine.chunk AS c
 WHERE c.tenant_no = %(tenant_no)s AND c.version_no = %(version_no)s AND c.document_no = ANY (%(document_nos)s::bigint[])
