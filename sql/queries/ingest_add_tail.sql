-- Puts the chunks of documents with a new class into its tail, in every version: no posting of that class holds them.
--
-- After the foreign keys have carried the class to them. Where they stand in the tail already, it was carried there, too.
--
-- params: tenant_no, document_nos
INSERT INTO ragspine.lexical_tail (tenant_no, version_no, acl_class_no, chunk_no)
SELECT c.tenant_no, c.version_no, c.acl_class_no, c.chunk_no
  FROM ragspine.chunk AS c
 WHERE c.tenant_no = %(tenant_no)s AND c.document_no = ANY (%(document_nos)s::bigint[])
ON CONFLICT DO NOTHING
